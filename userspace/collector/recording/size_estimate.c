// SPDX-License-Identifier: MIT
#include "collector/recording/size_estimate.h"

/* More than rows of any kind take, but for those of operations on many files. */
#define FIRST_ROW_BYTES 24.0
/* A file of fewer rows is mostly its head. */
#define ROWS_MIN   500u
#define HEAD_BYTES 4096u
/* Rows may compress worse than those before. */
#define MARGIN 1.25

uint64_t size_estimate__look(struct size_estimate *e, uint64_t rows)
{
	uint64_t added = rows > e->last_rows ? rows - e->last_rows : 0;
	double row_bytes = e->row_bytes > 0 ? e->row_bytes * MARGIN : FIRST_ROW_BYTES;

	e->last_rows = rows;
	return HEAD_BYTES + (uint64_t)((double)(rows + added) * row_bytes);
}

void size_estimate__learn(struct size_estimate *e, uint64_t rows, uint64_t bytes)
{
	if (rows >= ROWS_MIN)
		e->row_bytes = (double)bytes / (double)rows;
}
