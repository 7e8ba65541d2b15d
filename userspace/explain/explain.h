/* SPDX-License-Identifier: MIT */
/* Figures, findings and verdict of a whole trace. */
#ifndef BLKREEL_EXPLAIN_EXPLAIN_H
#define BLKREEL_EXPLAIN_EXPLAIN_H

#include "explain/explainer.h"
#include "trace/file/reader.h"

/* Finishes the explainer and adds findings and verdict. As explainer__finish(). */
int explain_finish(struct explainer *e, const struct explain_frame *frame,
		   struct explanation **result);

/*
 * Reads every row of `reader`. A trace that is cut or damaged is explained as far as it can be
 * read, and *read_err is the result of the last read. `devices`: as for explainer__new(). `part_ns`:
 * the length of a part of a recording, whose rows may end later; 0: a whole one. *result is for
 * explanation__free(). 0 or -ENOMEM.
 */
int explain_trace(struct trace_reader *reader, const char *const *devices, uint32_t device_count,
		  uint64_t part_ns, struct explanation **result, int *read_err);

/* Sees each block of rows that explain_trace_watched() reads. 0, or a negative errno ends it. */
struct explain_watcher {
	int (*see)(void *context, const struct row_block *block);
	void *context;
};

/* The same for a caller that computes more from the same rows. */
int explain_trace_watched(struct trace_reader *reader, const char *const *devices,
			  uint32_t device_count, uint64_t part_ns,
			  const struct explain_watcher *watcher, struct explanation **result,
			  int *read_err);

/* The tables of a reader, which the result refers to. */
struct explain_tables explain_tables_of(const struct trace_reader *reader);

#endif
