/* SPDX-License-Identifier: MIT */
/* Checks everything about a trace that the file alone can prove. */
#ifndef BLKREEL_TRACE_REPAIR_VERIFY_H
#define BLKREEL_TRACE_REPAIR_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#define VERIFY_PROBLEMS_MAX 16 /* in the list; all are counted */
#define VERIFY_PROBLEM_TEXT 160

struct trace_verification {
	uint64_t blocks, row_blocks, rows; /* that were checked */
	uint64_t bytes;			   /* of the file that were checked */
	/* Contradictions to the format or inside the file. */
	uint64_t problem_count;
	char problems[VERIFY_PROBLEMS_MAX][VERIFY_PROBLEM_TEXT];
	/* Allowed, but worth knowing. */
	uint64_t ids_without_entry;  /* in rows: each is one */
	uint64_t times_out_of_order; /* io rows in which a later step has an earlier time */
	uint64_t unused_bytes;	     /* not 0 in fields that this version does not use */
	uint64_t unknown_blocks;     /* skipped */
};

/*
 * Reads the whole file. 0, also when there are problems; an error of trace_reader__open() with its
 * *message; other negative errno.
 */
int trace_verify(const char *path, struct trace_verification *v, const char **message);

#endif
