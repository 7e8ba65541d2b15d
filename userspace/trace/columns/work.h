/* SPDX-License-Identifier: MIT */
/* Shared by the writing and the reading of columns; private to this folder. */
#ifndef BLKREEL_TRACE_COLUMNS_WORK_H
#define BLKREEL_TRACE_COLUMNS_WORK_H

#include "trace/columns/coding.h"
#include "trace/columns/definitions.h"
#include "trace/columns/places.h"
#include "trace/columns/transform.h"

#define DIRECTORY_HEAD_BYTES  4
#define DIRECTORY_ENTRY_BYTES 8

/* The best transform and coding of a column in an earlier block, and their cost. */
struct column_choice {
	uint8_t transform;
	uint8_t coding;
	uint8_t left;	/* blocks for which it may be reused */
	uint64_t bytes; /* per 65,536 rows, compressed */
};

struct columns {
	/*
	 * Fields of all rows, by column. A column whose bit is set in `constant` has only its first
	 * value, except a time.
	 */
	uint32_t constant;
	uint64_t column[COLUMNS_MAX][TRACE_BLOCK_ROWS_MAX];
	uint64_t since[TRACE_BLOCK_ROWS_MAX];
	uint64_t coded[2][TRACE_BLOCK_ROWS_MAX]; /* the best candidate so far, and the next */
	struct coding_plan plan[2];
	/* Of TRANSFORM_PLACES; its second part is in coded[]: */
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

/* Copies all fields of the rows to c->column[] and fills c->constant. */
void columns__from_rows(struct columns *c, const struct column_table *table, const void *rows,
			uint32_t count);
/* The reverse for the columns whose bit is set in `which`. */
void columns__to_rows(const struct columns *c, const struct column_table *table, uint32_t which,
		      void *rows, uint32_t count);
/* Whether the field at `offset` is the same in all rows. */
bool columns__is_constant(const struct columns *c, const struct column_table *table, size_t offset);
/*
 * The times that a ROLE_SINCE column refers to, row by row. c->column[] holds the columns before
 * it.
 */
const uint64_t *columns__since(struct columns *c, const struct column_table *table,
			       const struct column_definition *def, uint32_t count);

#endif
