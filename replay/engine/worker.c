// SPDX-License-Identifier: MIT
#include "replay/engine/worker.h"

#include <errno.h>
#include <stdlib.h>

/* The list is so much longer than iodepth that it is seldom compacted. */
#define LIST_FACTOR 4u

int worker__init(struct worker *w, struct worker_common *common, unsigned int index,
		 uint32_t iodepth)
{
	*w = (struct worker){.common = common,
			     .index = index,
			     .capacity = iodepth * LIST_FACTOR,
			     .numbers = calloc(iodepth, sizeof(w->numbers[0])),
			     .oldest = calloc((size_t)iodepth * LIST_FACTOR, sizeof(w->oldest[0]))};
	return w->numbers && w->oldest ? 0 : -ENOMEM;
}

void worker__free(struct worker *w)
{
	free(w->numbers);
	free(w->oldest);
}

static bool is_in_flight(const struct worker *w, const struct in_flight *flight,
			 const struct worker_entry *e)
{
	return flight->slots[e->slot].in_use && w->numbers[e->slot] == e->number;
}

/* An IO that is stuck keeps those behind it in the list. */
static void leave_completed_out(struct worker *w, const struct in_flight *flight)
{
	uint32_t left = 0;

	for (uint32_t i = w->first; i < w->end; i++)
		if (is_in_flight(w, flight, &w->oldest[i]))
			w->oldest[left++] = w->oldest[i];
	w->first = 0;
	w->end = left;
}

void worker__took(struct worker *w, const struct in_flight *flight, uint32_t slot)
{
	if (w->end == w->capacity)
		leave_completed_out(w, flight);
	w->numbers[slot] = w->next_number;
	w->oldest[w->end++] = (struct worker_entry){.number = w->next_number, .slot = slot};
}

void worker__completed(struct worker *w, const struct in_flight *flight)
{
	while (w->first != w->end && !is_in_flight(w, flight, &w->oldest[w->first]))
		w->first++;
	if (w->first == w->end)
		w->first = w->end = 0;
	sharing__completed(w->common->sharing, w->index,
			   w->end ? w->oldest[w->first].number : w->next_number);
}

void worker__submitted(struct worker *w)
{
	sharing__submitted(w->common->sharing, w->index, w->next_number);
}

uint32_t worker__count(struct worker *w, uint32_t in_flight)
{
	struct worker_common *common = w->common;
	unsigned int all = atomic_fetch_add(&common->in_flight, in_flight - w->counted) +
			   in_flight - w->counted;
	unsigned int highest = atomic_load(&common->highest_depth);

	w->counted = in_flight;
	while (all > highest &&
	       !atomic_compare_exchange_weak(&common->highest_depth, &highest, all))
		;
	return all;
}
