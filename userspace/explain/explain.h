/* SPDX-License-Identifier: MIT */
/* A whole trace file explained. */
#ifndef BLKREEL_EXPLAIN_EXPLAIN_H
#define BLKREEL_EXPLAIN_EXPLAIN_H

#include "explain/explanation.h"
#include "trace/file/reader.h"

/*
 * Reads every row of `reader`; a trace that is cut or damaged is explained as far as it goes, and
 * *read_err holds what the last read returned. `devices`: as for explainer__new().
 * *result is for explanation__free(). 0 or -ENOMEM.
 */
int explain_trace(struct trace_reader *reader, const char *const *devices, uint32_t device_count,
		  struct explanation **result, int *read_err);

#endif
