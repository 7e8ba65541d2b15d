/* SPDX-License-Identifier: MIT */
/* Parses [stream N]. */
#ifndef BLKREEL_PROFILE_TEXT_PARSE_STREAMS_H
#define BLKREEL_PROFILE_TEXT_PARSE_STREAMS_H

#include "profile/text/parser.h"

/* A key of [stream N]; 0 or -EINVAL. */
int parse_stream_key(struct parser *r, const char *section, const char *name, const char *value);

#endif
