/* SPDX-License-Identifier: MIT */
/* The contents of a trace as text and as JSON. */
#ifndef BLKREEL_RENDER_INFO_INFO_H
#define BLKREEL_RENDER_INFO_INFO_H

#include <stdio.h>

#include "trace/repair/contents.h"

void render_info_text(FILE *out, const struct trace_contents *c);
/* The document blkreel.info/1. 0 or -EIO. */
int render_info_json(FILE *out, const struct trace_contents *c);

#endif
