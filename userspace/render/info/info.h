/* SPDX-License-Identifier: MIT */
/* What is in a trace, for people and for programs. */
#ifndef BLKREEL_RENDER_INFO_INFO_H
#define BLKREEL_RENDER_INFO_INFO_H

#include <stdio.h>

#include "trace/repair/contents.h"

void render_info_text(FILE *out, const struct trace_contents *c);
/* The document blkreel.info/1. 0 or -EIO. */
int render_info_json(FILE *out, const struct trace_contents *c);

#endif
