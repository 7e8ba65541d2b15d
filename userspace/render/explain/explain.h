/* SPDX-License-Identifier: MIT */
/* An explanation as text and as JSON. */
#ifndef BLKREEL_RENDER_EXPLAIN_EXPLAIN_H
#define BLKREEL_RENDER_EXPLAIN_EXPLAIN_H

#include <jansson.h>
#include <stdio.h>

#include "explain/figures/explanation.h"

/* `name` is what the user called the trace. Each returns 0, -ENOMEM or -EIO. */
int explain_print_text(FILE *out, const char *name, const struct explanation *x);
int explain_print_json(FILE *out, const char *name, const struct explanation *x);

/* The document blkreel.explain/1 with at most `listed_max` processes, files and cgroups each. New
 * reference; NULL: out of memory. */
json_t *explain_json(const char *name, const struct explanation *x, uint32_t listed_max);

/* The sections of the text. Each prints a blank line before itself. Return values as above. */
int explain_print_waits(FILE *out, const struct explanation *x);
int explain_print_cache(FILE *out, const struct explanation *x);
int explain_print_what_if(FILE *out, const struct explanation *x);
int explain_print_flow(FILE *out, const struct explanation *x);
int explain_print_devices(FILE *out, const struct explanation *x);
int explain_print_slowest(FILE *out, const struct explanation *x);
int explain_print_groups(FILE *out, const struct explanation *x);
int explain_print_memory(FILE *out, const struct explanation *x);

#endif
