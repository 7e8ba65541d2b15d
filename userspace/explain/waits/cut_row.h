/* SPDX-License-Identifier: MIT */
/* What had not ended at the end of a file counts if none of the rows after it has the whole. */
#ifndef BLKREEL_EXPLAIN_WAITS_CUT_ROW_H
#define BLKREEL_EXPLAIN_WAITS_CUT_ROW_H

#include <stdbool.h>

#include "trace/rows.h"

/*
 * `cut`: the last row that was cut, of the sleeps or of the calls of a task; duration 0: none. Fills *counts, and
 * returns true, if a row counts now: this one, or the one that was cut before it.
 */
bool cut_row__next(struct wait_row *cut, const struct wait_row *row, struct wait_row *counts);

#endif
