/* SPDX-License-Identifier: MIT */
/*
 * Repeated addresses: most IOs of real workloads begin where an earlier IO began or ended. Such a
 * row stores how many rows back that IO was; only the other rows store an address. Transform 9 of
 * docs/trace-format.md.
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
 * sector behind its end, 1 for as far back as the row before. Fills fresh[] with the difference of
 * each new address, in order, to the end of the previous IO of the same device (transform 6 with
 * `base`). Returns the count of new addresses; `count` without finishing when too few repeat.
 */
uint32_t places__find(struct places *p, const struct io_row *rows, const uint64_t *sectors,
		      uint32_t count, uint64_t base, uint64_t *back, uint64_t *fresh);

/*
 * The reverse: turns back[] into sectors. `fresh` holds `fresh_count` differences. 0 or -EBADMSG.
 */
int places_undo(const struct io_row *rows, uint64_t *back, uint32_t count, uint64_t base,
		const uint64_t *fresh, uint32_t fresh_count);

#endif
