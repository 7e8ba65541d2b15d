/* SPDX-License-Identifier: MIT */
/*
 * Converts rows to events in order of time, for the formats that hold events. Rows come in order of
 * completion, so their first events are earlier than events of rows before: events are sorted
 * within BLOCK_PRINT_EVENTS. An event that is later than that is left out, and the IO begins with
 * its next one.
 */
#ifndef BLKREEL_EXCHANGE_EVENTS_BLOCK_PRINT_H
#define BLKREEL_EXCHANGE_EVENTS_BLOCK_PRINT_H

#include "base/bytes.h"
#include "exchange/events/block_event.h"
#include "exchange/foreign.h"

#define BLOCK_PRINT_EVENTS     (1u << 18)
#define BLOCK_PRINT_COMM_BYTES 16u

struct block_print_context {
	bool first;	  /* of all events */
	uint64_t wall_ns; /* Unix time of the first event; 0: not known */
	uint64_t since_first_ns;
	bool new_pid;	  /* the first event of event->pid */
	const char *comm; /* of event->pid: BLOCK_PRINT_COMM_BYTES, padded with NUL */
};

/* Called for each event in order of time, device and sequence. */
typedef void block_put_fn(struct foreign_output *o, const struct block_event *event,
			  const struct block_print_context *context);

/* False: blktrace's records cannot hold the row (or there is no memory). */
bool block_print__row(struct foreign_output *o, const struct io_row *row, block_put_fn *put);
/* Puts the remaining events and frees the state. */
void block_print__end(struct foreign_output *o, block_put_fn *put);

#endif
