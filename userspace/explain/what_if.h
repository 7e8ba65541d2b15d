/* SPDX-License-Identifier: MIT */
/* What another size of the page cache would have changed. */
#ifndef BLKREEL_EXPLAIN_WHAT_IF_H
#define BLKREEL_EXPLAIN_WHAT_IF_H

#include "explain/figures/explanation.h"
#include "trace/file/reader.h"

/* Whether accesses were recorded, which the estimate needs. */
bool explain_has_accesses(const struct explanation *x);

/*
 * Plays the accesses of `rows`, a reader at the beginning of the same file, to the model and fills
 * x->what_if. `whole` has read everything. present_bytes: the present size of the page cache; 0: as
 * recorded. A damaged file is played as far as it can be read. 0 or -ENOMEM.
 */
int explain_what_if(struct explanation *x, const struct trace_reader *whole,
		    struct trace_reader *rows, uint64_t present_bytes);

#endif
