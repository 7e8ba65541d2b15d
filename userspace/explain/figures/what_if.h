/* SPDX-License-Identifier: MIT */
/* What another size of the page cache would have changed. */
#ifndef BLKREEL_EXPLAIN_FIGURES_WHAT_IF_H
#define BLKREEL_EXPLAIN_FIGURES_WHAT_IF_H

#include "explain/figures/explanation.h"
#include "trace/file/reader.h"

/* Whether the recorder looked at accesses, without which nothing can be said. */
bool explain_has_accesses(const struct explanation *x);

/*
 * Plays the accesses of `rows`, a reader of the same file that stands at its beginning, and fills x->what_if. `whole`
 * has read everything. present_bytes: the size that counts as the present one; 0: what the recording says. A
 * damaged file is played as far as it goes. 0 or -ENOMEM.
 */
int explain_what_if(struct explanation *x, const struct trace_reader *whole,
		    struct trace_reader *rows, uint64_t present_bytes);

#endif
