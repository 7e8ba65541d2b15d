/* SPDX-License-Identifier: MIT */
/*
 * Events of the block layer to rows, one per request (per bio on devices that have no requests).
 * What a trace does not hold (only Q, only D and C, ...) stays 0 in its rows; no IO becomes two
 * rows. Memory is bounded: of more than BLOCK_UNDER_WAY_MAX IOs under way, and of those that were
 * not heard of for BLOCK_PATIENCE_NS, the oldest are given out as they are known.
 */
#ifndef BLKREEL_EXCHANGE_EVENTS_BLOCK_EVENTS_H
#define BLKREEL_EXCHANGE_EVENTS_BLOCK_EVENTS_H

#include "exchange/events/block_event.h"
#include "exchange/foreign.h"

#define BLOCK_UNDER_WAY_MAX (1u << 18)
#define BLOCK_PATIENCE_NS   (60 * NSEC_PER_SEC)

struct block_events;

/*
 * `source` has to outlive it; its names receive the devices, its report what was met. NULL: no
 * memory.
 */
struct block_events *block_events__new(struct foreign_source *source);
void block_events__free(struct block_events *b); /* NULL is allowed */

/*
 * The next event, in the order of time. `name` is what its device is called, for the first event of a device: NULL, or the name
 * of another device already, means "MAJOR:MINOR". 0 or -ENOMEM.
 */
int block_events__feed(struct block_events *b, const struct block_event *event, struct text name);
/* Gives *event the task of its pid; `comm` may be empty. */
void block_events__name_task(struct block_events *b, struct block_event *event, struct text comm);

/*
 * next() of a format of events. Rows are in the order of completion, or of age where there is none.
 * `feed` hands one event or none to block_events__feed(): 1; 0 or negative errno at the end, which
 * is returned after the last row.
 */
int block_events__next(struct block_events *b, int (*feed)(struct foreign_source *s),
		       struct io_row *row);

#endif
