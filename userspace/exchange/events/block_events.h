/* SPDX-License-Identifier: MIT */
/*
 * Converts events of the block layer to rows, one per request (per bio on devices without
 * requests). Fields that a trace does not hold (only Q, only D and C, ...) stay 0 in its rows; no
 * IO becomes two rows. Memory is bounded: with more than BLOCK_PENDING_MAX pending IOs, and for IOs
 * without an event for BLOCK_TIMEOUT_NS, the oldest are emitted as far as they are known.
 */
#ifndef BLKREEL_EXCHANGE_EVENTS_BLOCK_EVENTS_H
#define BLKREEL_EXCHANGE_EVENTS_BLOCK_EVENTS_H

#include "exchange/events/block_event.h"
#include "exchange/foreign.h"

#define BLOCK_PENDING_MAX (1u << 18)
#define BLOCK_TIMEOUT_NS  (60 * NSEC_PER_SEC)

struct block_events;

/*
 * `source` must outlive it; its names receive the devices, its report the notes. NULL: no memory.
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
