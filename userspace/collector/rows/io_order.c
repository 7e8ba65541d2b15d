// SPDX-License-Identifier: MIT
#include "collector/rows/io_order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX    32768u
#define RUNS_MAX      1024u
#define FETCHED_AHEAD 4u
#define SHIFT_MAX     8u /* a record may be this many places too late within its run */

/* Records that came in order, as from one ring: events[first] to events[end - 1]. */
struct run {
	uint32_t first, end;
};

struct io_order {
	uint32_t count, run_count;
	struct run runs[RUNS_MAX];
	uint64_t heads_ns[RUNS_MAX]; /* completion time of the first event of each run */
	const struct io_event *events[EVENTS_MAX];
	/* Copies of records that do not stay in place, for this round and for the next one. */
	struct io_event copies[2][EVENTS_MAX];
	uint32_t copied;
	unsigned int round;
};

int io_order__create(struct io_order **order)
{
	*order = malloc(sizeof(**order));
	if (!*order)
		return -ENOMEM;
	(*order)->count = 0;
	(*order)->run_count = 0;
	(*order)->copied = 0;
	(*order)->round = 0;
	return 0;
}

void io_order__free(struct io_order *order)
{
	free(order);
}

/* Two probes on one CPU can take their times in one order and their ring places in the other: a
 * record that is a little late is inserted at its place. False: the record begins a new run. */
static bool fits_in_run(struct io_order *order, const struct io_event *event)
{
	struct run *run = &order->runs[order->run_count - 1];
	uint32_t at = order->count, moved = 0;

	while (at > run->first && order->events[at - 1]->completed_ns > event->completed_ns) {
		at--;
		if (++moved > SHIFT_MAX)
			return false;
	}
	memmove(&order->events[at + 1], &order->events[at], moved * sizeof(order->events[0]));
	order->events[at] = event;
	return true;
}

int io_order__add_lasting(struct io_order *order, const struct io_event *event)
{
	if (!order->run_count || (event->completed_ns && !fits_in_run(order, event))) {
		order->runs[order->run_count++].first = order->count;
		order->events[order->count] = event;
	} else if (!event->completed_ns) {
		/* Its end was not seen: it stays behind the record before it. */
		order->events[order->count] = event;
	}
	order->runs[order->run_count - 1].end = ++order->count;
	return order->count == EVENTS_MAX || order->run_count == RUNS_MAX;
}

int io_order__add(struct io_order *order, const struct io_event *event)
{
	struct io_event *copy = &order->copies[order->round][order->copied++];

	*copy = *event;
	return io_order__add_lasting(order, copy);
}

static void take_head(struct io_order *order, uint32_t run)
{
	const struct run *r = &order->runs[run];

	order->heads_ns[run] =
		r->first < r->end ? order->events[r->first]->completed_ns : UINT64_MAX;
}

/* Prefetches records that will be needed soon: another CPU has written them. */
static void fetch_ahead(const struct io_order *order, const struct run *run)
{
	uint32_t at = run->first + FETCHED_AHEAD;

	if (at >= run->end)
		return;
	__builtin_prefetch(order->events[at]);
	__builtin_prefetch((const char *)order->events[at] + 64);
}

static uint32_t earliest_run(const struct io_order *order)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < order->run_count; i++)
		if (order->heads_ns[i] < order->heads_ns[best])
			best = i;
	return best;
}

/* Moves the remaining records to the front, each run still a run, and copies them. */
static void keep_rest(struct io_order *order)
{
	struct io_event *copies = order->copies[!order->round];
	uint32_t count = 0, runs = 0;

	for (uint32_t i = 0; i < order->run_count; i++) {
		struct run run = order->runs[i];

		if (run.first == run.end)
			continue;
		order->runs[runs++] = (struct run){count, count + run.end - run.first};
		for (uint32_t at = run.first; at < run.end; at++, count++) {
			copies[count] = *order->events[at];
			order->events[count] = &copies[count];
		}
	}
	order->round = !order->round;
	order->copied = count;
	order->count = count;
	order->run_count = runs;
}

int io_order__release(struct io_order *order, uint64_t until_ns,
		      int (*each)(const struct io_event *event, void *context), void *context)
{
	int err = 0;

	for (uint32_t i = 0; i < order->run_count; i++)
		take_head(order, i);
	while (order->run_count && !err) {
		uint32_t run = earliest_run(order);
		struct run *r = &order->runs[run];

		if (r->first == r->end || order->heads_ns[run] > until_ns)
			break;
		fetch_ahead(order, r);
		err = each(order->events[r->first++], context);
		take_head(order, run);
	}
	keep_rest(order);
	return err;
}

void io_order__each_held(const struct io_order *order,
			 int (*each)(const struct io_event *event, void *context), void *context)
{
	for (uint32_t i = 0; i < order->run_count; i++)
		for (uint32_t at = order->runs[i].first; at < order->runs[i].end; at++)
			each(order->events[at], context);
}
