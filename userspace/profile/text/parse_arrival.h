/* SPDX-License-Identifier: MIT */
/* Parses [arrival]. */
#ifndef BLKREEL_PROFILE_TEXT_PARSE_ARRIVAL_H
#define BLKREEL_PROFILE_TEXT_PARSE_ARRIVAL_H

#include "profile/text/parser.h"

/* A key of [arrival]; 0 or -EINVAL. */
int parse_arrival_key(struct parser *r, const char *section, const char *name, const char *value);

/* After the last key: checks [arrival] as a whole. 0, or -EINVAL and *key, which is wrong. */
int parse_arrival_finish(struct parser *r, const char **key);

#endif
