// SPDX-License-Identifier: MIT
#include "explain/waits/open_sleeps.h"

#include <errno.h>
#include <stdlib.h>

#include <uthash.h>

struct open_call {
	uint64_t call_ns;
	struct sleep *last; /* a ring: its next is the first */
	UT_hash_handle hh;
};

void sleep__free(struct sleep *first)
{
	while (first) {
		struct sleep *next = first->next;

		free(first);
		first = next;
	}
}

static struct sleep *open_ring(struct open_call *call)
{
	struct sleep *first = call->last->next;

	call->last->next = NULL;
	return first;
}

static struct open_call *call_of(struct open_sleeps *o, uint64_t call_ns)
{
	struct open_call *call;

	HASH_FIND(hh, o->by_call, &call_ns, sizeof(call_ns), call);
	if (call)
		return call;
	call = calloc(1, sizeof(*call));
	if (!call)
		return NULL;
	call->call_ns = call_ns;
	HASH_ADD(hh, o->by_call, call_ns, sizeof(call->call_ns), call);
	return call;
}

/* Most come in order. */
static void insert(struct open_call *call, struct sleep *sleep)
{
	struct sleep *before = call->last;

	if (!before) {
		call->last = sleep->next = sleep;
		return;
	}
	if (before->row.time_ns <= sleep->row.time_ns)
		call->last = sleep;
	else
		while (before->next->row.time_ns <= sleep->row.time_ns)
			before = before->next;
	sleep->next = before->next;
	before->next = sleep;
}

int open_sleeps__add(struct open_sleeps *o, const struct wait_row *row)
{
	struct sleep *sleep = calloc(1, sizeof(*sleep));
	struct open_call *call = sleep ? call_of(o, row->call_ns) : NULL;

	if (!call) {
		free(sleep);
		return -ENOMEM;
	}
	sleep->row = *row;
	insert(call, sleep);
	return 0;
}

static struct sleep *take(struct open_sleeps *o, struct open_call *call)
{
	struct sleep *first = open_ring(call);

	HASH_DEL(o->by_call, call);
	free(call);
	return first;
}

/* The table keeps the order in which the first sleep of each call came. */
static void drop_before(struct open_sleeps *o, uint64_t drop_ns)
{
	while (o->by_call && o->by_call->call_ns < drop_ns)
		sleep__free(take(o, o->by_call));
}

struct sleep *open_sleeps__take(struct open_sleeps *o, uint64_t call_ns, uint64_t drop_ns)
{
	struct open_call *call;

	HASH_FIND(hh, o->by_call, &call_ns, sizeof(call_ns), call);
	struct sleep *first = call ? take(o, call) : NULL;

	drop_before(o, drop_ns);
	return first;
}

void open_sleeps__free(struct open_sleeps *o)
{
	struct open_call *call, *next;

	HASH_ITER (hh, o->by_call, call, next)
		sleep__free(take(o, call));
}

static uint64_t above(uint64_t value, uint64_t limit)
{
	return value > limit ? value - limit : 0;
}

bool sleep_row_clip(struct wait_row *sleep, uint64_t from_ns)
{
	uint64_t woken_ns = sleep->time_ns + sleep->duration_ns;

	if (sleep->time_ns >= from_ns)
		return true;
	sleep->time_ns = from_ns;
	sleep->duration_ns = above(woken_ns, from_ns);
	sleep->run_queue_ns = above(sleep->run_queue_ns, above(from_ns, woken_ns));
	return sleep->duration_ns || sleep->run_queue_ns;
}

bool call_row_clip(struct wait_row *call, struct sleep *sleeps, uint64_t from_ns)
{
	uint64_t awake_ns = above(call->duration_ns, call->sleep_ns), slept_ns = 0;
	uint64_t end_ns = call->time_ns + call->duration_ns, left_ns;
	double share;

	if (call->time_ns >= from_ns)
		return true;
	for (; sleeps; sleeps = sleeps->next) {
		sleep_row_clip(&sleeps->row, from_ns);
		slept_ns += sleeps->row.duration_ns;
	}
	call->time_ns = from_ns;
	call->duration_ns = above(end_ns, from_ns);
	call->sleep_ns = slept_ns;
	left_ns = above(call->duration_ns, slept_ns);
	share = left_ns < awake_ns ? (double)left_ns / (double)awake_ns : 1;
	call->cpu_ns = (uint64_t)((double)call->cpu_ns * share);
	call->run_queue_ns = (uint64_t)((double)call->run_queue_ns * share);
	return call->duration_ns;
}
