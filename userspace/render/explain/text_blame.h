/* SPDX-License-Identifier: MIT */
#ifndef BLKREEL_RENDER_EXPLAIN_TEXT_BLAME_H
#define BLKREEL_RENDER_EXPLAIN_TEXT_BLAME_H

#include <stdio.h>

#include "explain/figures/explanation.h"

/* The pairs of programs of which one waited behind the IOs of the other, if any. 0 or -ENOMEM. */
int explain_print_blame(FILE *out, const struct explain_waits *w, bool has_cache);

/* Behind whom a long wait was, if behind anybody. */
void explain_print_story(FILE *out, const struct explain_worst_wait *wait);

#endif
