/* SPDX-License-Identifier: MIT */
/* Checks a profile after the last key of its text. */
#ifndef BLKREEL_PROFILE_TEXT_PARSE_FINISH_H
#define BLKREEL_PROFILE_TEXT_PARSE_FINISH_H

#include "profile/text/parser.h"

/* Checks the text as a whole; the message names the line of what is wrong. 0 or -EINVAL. */
int parse_finish(struct parser *r, const char *text);

#endif
