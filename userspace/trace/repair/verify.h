/* SPDX-License-Identifier: MIT */
/* Everything about a trace that can be checked from the file alone. */
#ifndef BLKREEL_TRACE_REPAIR_VERIFY_H
#define BLKREEL_TRACE_REPAIR_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#define VERIFY_PROBLEMS_MAX 16 /* that are kept; all are counted */
#define VERIFY_PROBLEM_TEXT 160

struct trace_verification {
	uint64_t blocks, row_blocks, rows; /* that were checked */
	uint64_t bytes;			   /* of the file up to where it was checked */
	/* What contradicts the format or itself. */
	uint64_t problem_count;
	char problems[VERIFY_PROBLEMS_MAX][VERIFY_PROBLEM_TEXT];
	/* What is allowed, and worth to know. */
	uint64_t ids_without_entry;  /* in rows: each is one */
	uint64_t times_out_of_order; /* io rows in which a later step has an earlier time */
	uint64_t unused_bytes;	     /* not 0 in fields that this version does not use */
	uint64_t unknown_blocks;     /* skipped */
};

/*
 * Reads the whole file. 0, also when there are problems; what trace_reader__open() returns with its
 * *message; other negative errno.
 */
int trace_verify(const char *path, struct trace_verification *v, const char **message);

#endif
