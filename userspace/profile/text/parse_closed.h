/* SPDX-License-Identifier: MIT */
/* Parses [closed] and [tasks N]. */
#ifndef BLKREEL_PROFILE_TEXT_PARSE_CLOSED_H
#define BLKREEL_PROFILE_TEXT_PARSE_CLOSED_H

#include "profile/text/parser.h"

/* A key of [closed]; a key of [tasks N]; 0 or -EINVAL. */
int parse_closed_key(struct parser *r, const char *section, const char *name, const char *value);
int parse_tasks_key(struct parser *r, const char *section, const char *name, const char *value);

/*
 * After the last key: checks these sections as a whole. 0, or -EINVAL and *place, which is wrong.
 */
int parse_closed_finish(struct parser *r, struct profile_place *place);

#endif
