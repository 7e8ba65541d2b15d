// SPDX-License-Identifier: MIT
#include "explain/waits/cut_row.h"

#include "trace/row_time.h"

/* A task sleeps, and is in one call, once at a time. */
static bool is_same_wait(const struct wait_row *cut, const struct wait_row *row)
{
	return cut->duration_ns && cut->time_ns <= wait_row_end_ns(row) &&
	       row->time_ns <= wait_row_end_ns(cut);
}

bool cut_row__next(struct wait_row *cut, const struct wait_row *row, struct wait_row *counts)
{
	bool is_cut = row->flags & WAIT_CUT, has_other;

	if (is_same_wait(cut, row))
		cut->duration_ns = 0;
	has_other = is_cut && cut->duration_ns;
	*counts = has_other ? *cut : *row;
	if (is_cut)
		*cut = *row;
	return has_other || !is_cut;
}
