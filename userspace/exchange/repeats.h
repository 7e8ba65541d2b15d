/* SPDX-License-Identifier: MIT */
/*
 * Finds IOs that repeat an earlier one (same device, operation, address and length) within a short
 * time: the lower half of a stacked device that was traced on both levels.
 */
#ifndef BLKREEL_EXCHANGE_REPEATS_H
#define BLKREEL_EXCHANGE_REPEATS_H

#include <stdbool.h>

#include "trace/rows.h"

#define REPEAT_WINDOW_NS 200000ull

struct repeats;

struct repeats *repeats__new(void);    /* NULL: no memory */
void repeats__free(struct repeats *r); /* NULL is allowed */

/*
 * Whether `row` repeats a row of the last REPEAT_WINDOW_NS that was no repetition itself. Rows must
 * come in order of their times.
 */
bool repeats__check(struct repeats *r, const struct io_row *row);

#endif
