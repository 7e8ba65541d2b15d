/* SPDX-License-Identifier: MIT */
/* The parts of the text of explain; each prints a blank line before itself. 0, -ENOMEM or -EIO. */
#ifndef BLKREEL_RENDER_EXPLAIN_TEXT_SECTIONS_H
#define BLKREEL_RENDER_EXPLAIN_TEXT_SECTIONS_H

#include <stdio.h>

#include "explain/explanation.h"

int explain_print_cache(FILE *out, const struct explanation *x);
int explain_print_what_if(FILE *out, const struct explanation *x);
int explain_print_flow(FILE *out, const struct explanation *x);
int explain_print_devices(FILE *out, const struct explanation *x);
int explain_print_slowest(FILE *out, const struct explanation *x);
int explain_print_groups(FILE *out, const struct explanation *x);
int explain_print_memory(FILE *out, const struct explanation *x);

#endif
