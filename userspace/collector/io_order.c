#include "collector/io_order.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_MAX 32768u
#define RUNS_MAX   1024u
#define SHIFT_MAX  8u /* a record may be that many places too late within its run */

/* Records that came in order, as they do out of one ring: events[first] to events[end - 1]. */
struct run {
	uint32_t first, end;
};

struct io_order {
	uint32_t count, run_count;
	struct run runs[RUNS_MAX];
	uint64_t heads_ns[RUNS_MAX]; /* when the first of each run completed */
	struct io_event events[EVENTS_MAX];
	struct io_event later[EVENTS_MAX];
};

int io_order__create(struct io_order **order)
{
	*order = malloc(sizeof(**order));
	if (!*order)
		return -ENOMEM;
	(*order)->count = 0;
	(*order)->run_count = 0;
	return 0;
}

void io_order__free(struct io_order *order)
{
	free(order);
}

/* Two probes on one CPU can take their times in one order and their places in the ring in the other: a
 * record that is a little late goes to its place. False: it begins a new run. */
static bool fits_in_run(struct io_order *order, const struct io_event *event)
{
	struct run *run = &order->runs[order->run_count - 1];
	uint32_t at = order->count, moved = 0;

	while (at > run->first && order->events[at - 1].completed_ns > event->completed_ns) {
		at--;
		if (++moved > SHIFT_MAX)
			return false;
	}
	memmove(&order->events[at + 1], &order->events[at], moved * sizeof(*event));
	order->events[at] = *event;
	return true;
}

int io_order__add(struct io_order *order, const struct io_event *event)
{
	if (!order->run_count || (event->completed_ns && !fits_in_run(order, event))) {
		order->runs[order->run_count++].first = order->count;
		order->events[order->count] = *event;
	} else if (!event->completed_ns) {
		/* Its end was not seen: it comes after what came before it. */
		order->events[order->count] = *event;
	}
	order->runs[order->run_count - 1].end = ++order->count;
	return order->count == EVENTS_MAX || order->run_count == RUNS_MAX;
}

static void take_head(struct io_order *order, uint32_t run)
{
	const struct run *r = &order->runs[run];

	order->heads_ns[run] =
		r->first < r->end ? order->events[r->first].completed_ns : UINT64_MAX;
}

static uint32_t earliest_run(const struct io_order *order)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < order->run_count; i++)
		if (order->heads_ns[i] < order->heads_ns[best])
			best = i;
	return best;
}

/* What was not handed out moves to the front, each run still a run. */
static void keep_rest(struct io_order *order)
{
	uint32_t count = 0, runs = 0;

	for (uint32_t i = 0; i < order->run_count; i++) {
		struct run run = order->runs[i];
		uint32_t length = run.end - run.first;

		if (!length)
			continue;
		memcpy(&order->later[count], &order->events[run.first],
		       length * sizeof(order->later[0]));
		order->runs[runs++] = (struct run){count, count + length};
		count += length;
	}
	memcpy(order->events, order->later, count * sizeof(order->events[0]));
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
		err = each(&order->events[r->first++], context);
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
			each(&order->events[at], context);
}
