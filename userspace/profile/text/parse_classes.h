/* SPDX-License-Identifier: MIT */
/* Checks what IOs are: reads and size classes. */
#ifndef BLKREEL_PROFILE_TEXT_PARSE_CLASSES_H
#define BLKREEL_PROFILE_TEXT_PARSE_CLASSES_H

#include "profile/text/parser.h"

/* After the last key: checks these keys as a whole. 0, or -EINVAL and *key, which is wrong. */
int parse_classes_finish(struct parser *r, const char **key);

#endif
