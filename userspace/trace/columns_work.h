/* What writing and reading columns share; nobody else includes this. */
#ifndef BLKREEL_TRACE_COLUMNS_WORK_H
#define BLKREEL_TRACE_COLUMNS_WORK_H

#include "trace/coding.h"
#include "trace/column_defs.h"
#include "trace/columns.h"
#include "trace/places.h"
#include "trace/transform.h"

#define DIRECTORY_HEAD_BYTES  4
#define DIRECTORY_ENTRY_BYTES 8

struct columns {
	uint64_t values[TRACE_BLOCK_ROWS_MAX];
	uint64_t since[TRACE_BLOCK_ROWS_MAX];
	uint64_t coded[2][TRACE_BLOCK_ROWS_MAX]; /* the best candidate so far, and the next */
	struct coding_plan plan[2];
	/* Of TRANSFORM_PLACES, whose other half is in coded[]: */
	uint64_t back[TRACE_BLOCK_ROWS_MAX];
	struct coding_plan back_plan;
	uint32_t fresh;
	struct places *places; /* NULL until it is needed */
};

/* A field of all rows to an array of numbers, and back. */
void columns_gather(const void *rows, size_t stride, unsigned int offset, unsigned int bytes,
		    uint64_t *values, uint32_t count);
void columns_scatter(void *rows, size_t stride, unsigned int offset, unsigned int bytes,
		     const uint64_t *values, uint32_t count);
/* Fills c->since with what a ROLE_SINCE column refers to. */
void columns__gather_since(struct columns *c, const struct column_def *def, const void *rows,
			   size_t stride, uint32_t count);

#endif
