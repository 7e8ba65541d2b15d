// SPDX-License-Identifier: MIT
#include "explain/waits/worker_sleeps.h"

#include <errno.h>
#include <stdlib.h>

#include "trace/row_time.h"

#define SLEEPS_KEPT 256u /* a power of two */

int worker_sleeps__add(struct worker_sleeps *w, const struct wait_row *row)
{
	if (!w->rows)
		w->rows = malloc(SLEEPS_KEPT * sizeof(*w->rows));
	if (!w->rows)
		return -ENOMEM;
	w->rows[w->count++ & (SLEEPS_KEPT - 1)] = *row;
	return 0;
}

void worker_sleeps__free(struct worker_sleeps *w)
{
	free(w->rows);
	*w = (struct worker_sleeps){0};
}

/* The part of the worker's sleep that lies in `row`, as a sleep of its task. False: none does. */
static bool part_of(const struct wait_row *worker, const struct wait_row *row,
		    struct wait_row *part)
{
	uint64_t end_ns = wait_row_end_ns(worker) < wait_row_end_ns(row) ? wait_row_end_ns(worker)
									 : wait_row_end_ns(row);

	*part = *row;
	part->time_ns = worker->time_ns > row->time_ns ? worker->time_ns : row->time_ns;
	if (end_ns <= part->time_ns)
		return false;
	part->duration_ns = end_ns - part->time_ns;
	part->stack = worker->stack;
	part->waker = worker->waker;
	return true;
}

static struct sleep *insert_after(struct sleep *sleep, const struct wait_row *row)
{
	struct sleep *added = calloc(1, sizeof(*added));

	if (!added)
		return NULL;
	added->row = *row;
	added->next = sleep->next;
	sleep->next = added;
	return added;
}

int worker_sleeps__replace(const struct worker_sleeps *w, struct sleep *sleep,
			   uint64_t *left_out_ns)
{
	uint64_t i = w->count > SLEEPS_KEPT ? w->count - SLEEPS_KEPT : 0;
	const struct wait_row whole = sleep->row;
	struct sleep *last = NULL;
	struct wait_row part;

	*left_out_ns = 0;
	for (; i < w->count; i++) {
		if (!part_of(&w->rows[i & (SLEEPS_KEPT - 1)], &whole, &part))
			continue;
		if (!last) {
			sleep->row.duration_ns = part.time_ns - whole.time_ns;
			sleep->row.waker = 0;
			*left_out_ns = whole.duration_ns - sleep->row.duration_ns;
		}
		*left_out_ns -= part.duration_ns;
		last = insert_after(last ? last : sleep, &part);
		if (!last)
			return -ENOMEM;
	}
	return 0;
}
