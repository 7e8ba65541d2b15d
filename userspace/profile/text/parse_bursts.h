/* SPDX-License-Identifier: MIT */
/* Parses "pinned_bursts". */
#ifndef BLKREEL_PROFILE_TEXT_PARSE_BURSTS_H
#define BLKREEL_PROFILE_TEXT_PARSE_BURSTS_H

#include "profile/text/parser.h"

/* 0 or -EINVAL. */
int parse_bursts_key(struct parser *r, const char *value);

/* After the last key: checks the bursts as a whole. 0, or -EINVAL and *key, which is wrong. */
int parse_bursts_finish(struct parser *r, const char **key);

#endif
