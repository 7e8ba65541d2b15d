/* SPDX-License-Identifier: MIT */
/*
 * Addresses that come again: most real workloads return to a place they were at, or go on where
 * some earlier IO ended. Such a row says how many rows back that was; only the others need an
 * address. Transform 9 of docs/trace-format.md.
 */
#ifndef BLKREEL_TRACE_COLUMNS_PLACES_H
#define BLKREEL_TRACE_COLUMNS_PLACES_H

#include <stdbool.h>

#include "trace/format.h"

struct places;

struct places *places__new(void);    /* NULL: no memory */
void places__free(struct places *p); /* NULL is allowed */

/*
 * Fills back[0..count): 0 for a new address, 2 * d for the sector of row i - d, 2 * d + 1 for the
 * one behind its end, 1 for as far back as the row before; and fresh[]: for each new address, in order, its difference to the end of
 * the previous IO of the same device (transform 6 with `base`). Returns how many are new; `count`
 * at once when so few come again that another transform must be better.
 */
uint32_t places__find(struct places *p, const struct io_row *rows, const uint64_t *sectors,
		      uint32_t count, uint64_t base, uint64_t *back, uint64_t *fresh);

/*
 * The reverse: back[] becomes sectors. `fresh` holds `fresh_count` differences. 0 or -EBADMSG.
 */
int places_undo(const struct io_row *rows, uint64_t *back, uint32_t count, uint64_t base,
		const uint64_t *fresh, uint32_t fresh_count);

#endif
