/* SPDX-License-Identifier: MIT */
/* Whose IOs they were, in a sentence. */
#ifndef BLKREEL_RENDER_OWNERS_H
#define BLKREEL_RENDER_OWNERS_H

#include <stdbool.h>
#include <stdio.h>

#include "explain/figures/explanation.h"

/* Prints the label of an owner, as "db (pid 7)". */
typedef void owner_printer(FILE *out, const char *label);

/* False: there were no IOs. */
bool render_has_owners(const struct explanation *x);
void render_owners(FILE *out, const struct explanation *x, owner_printer *print);

/* The same as plain text, to be freed; NULL: no IOs, or no memory. */
char *render_owners_text(const struct explanation *x);

#endif
