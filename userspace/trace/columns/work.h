/* SPDX-License-Identifier: MIT */
/* What writing and reading columns share; nobody else includes this. */
#ifndef BLKREEL_TRACE_COLUMNS_WORK_H
#define BLKREEL_TRACE_COLUMNS_WORK_H

#include "trace/columns/coding.h"
#include "trace/columns/definitions.h"
#include "trace/columns/places.h"
#include "trace/columns/transform.h"

#define DIRECTORY_HEAD_BYTES  4
#define DIRECTORY_ENTRY_BYTES 8

/* What was found best for a column, and what it cost then. */
struct column_choice {
	uint8_t transform;
	uint8_t coding;
	uint8_t left;	/* blocks for which it may be taken again */
	uint64_t bytes; /* per 65,536 rows, compressed */
};

struct columns {
	/* Fields of all rows, by their place in the table. Of a column whose bit is set in `constant`, and
	 * that is no time, only the first is there. */
	uint32_t constant;
	uint64_t column[COLUMNS_MAX][TRACE_BLOCK_ROWS_MAX];
	uint64_t since[TRACE_BLOCK_ROWS_MAX];
	uint64_t coded[2][TRACE_BLOCK_ROWS_MAX]; /* the best candidate so far, and the next */
	struct coding_plan plan[2];
	/* Of TRANSFORM_PLACES, whose other half is in coded[]: */
	uint64_t back[TRACE_BLOCK_ROWS_MAX];
	struct coding_plan back_plan;
	uint32_t fresh;
	struct places *places; /* NULL until it is needed */
	bool reuses_choices;
	struct column_choice choices[COLUMNS_MAX]; /* of io rows */
};

static inline bool column_is_time(const struct column_definition *def)
{
	return def->role == ROLE_TIME || def->role == ROLE_SINCE;
}

/* All fields of rows to c->column[], and which are constant. */
void columns__from_rows(struct columns *c, const struct column_table *table, const void *rows,
			uint32_t count);
/* The reverse for the columns whose bit is set in `which`. */
void columns__to_rows(const struct columns *c, const struct column_table *table, uint32_t which,
		      void *rows, uint32_t count);
/* Is the field at `offset` the same in all rows? */
bool columns__is_constant(const struct columns *c, const struct column_table *table, size_t offset);
/* What a ROLE_SINCE column refers to, row by row; c->column[] holds the columns before it. */
const uint64_t *columns__since(struct columns *c, const struct column_table *table,
			       const struct column_definition *def, uint32_t count);

#endif
