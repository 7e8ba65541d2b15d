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
 * Takes the next event, in order of time. `name`: the name of the device, for its first event;
 * NULL, or the name of another device, means "MAJOR:MINOR". 0 or -ENOMEM.
 */
int block_events__feed(struct block_events *b, const struct block_event *event, struct text name);
/* Sets event->task by its pid; `comm` may be empty. */
void block_events__name_task(struct block_events *b, struct block_event *event, struct text comm);

/*
 * next() of a format of events. Rows are in order of completion, without one in order of age.
 * `feed` passes one event or none to block_events__feed() and returns 1; at the end 0 or negative
 * errno, which next() returns after the last row.
 */
int block_events__next(struct block_events *b, int (*feed)(struct foreign_source *s),
		       struct io_row *row);

#endif
