/* SPDX-License-Identifier: MIT */
/* Two renderers of one explanation. */
#ifndef BLKREEL_RENDER_EXPLAIN_EXPLAIN_H
#define BLKREEL_RENDER_EXPLAIN_EXPLAIN_H

#include <stdio.h>

#include "explain/explanation.h"

/* `name` is what the user called the trace. Each returns 0, -ENOMEM or -EIO. */
int explain_print_text(FILE *out, const char *name, const struct explanation *x);
int explain_print_json(FILE *out, const char *name, const struct explanation *x);

#endif
