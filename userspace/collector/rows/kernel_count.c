// SPDX-License-Identifier: MIT
#include "collector/rows/kernel_count.h"

#include <errno.h>
#include <stdlib.h>

#include <utlist.h>

#include "workload/figures/edges.h"

struct counted_device {
	struct counted_device *next;
	uint32_t device;
	uint64_t rows, kernel; /* IOs */
	uint64_t started_before, in_flight_at_end;
	struct edges edges;
};

/* The most recently used device is first. */
struct kernel_count {
	struct counted_device *first;
};

int kernel_count__create(struct kernel_count **count)
{
	*count = calloc(1, sizeof(**count));
	return *count ? 0 : -ENOMEM;
}

void kernel_count__free(struct kernel_count *count)
{
	struct counted_device *d, *next;

	if (!count)
		return;
	LL_FOREACH_SAFE(count->first, d, next)
	free(d);
	free(count);
}

static struct counted_device *find_device(struct kernel_count *count, uint32_t device)
{
	struct counted_device *d;

	LL_SEARCH_SCALAR(count->first, d, device, device);
	if (d)
		LL_DELETE(count->first, d);
	else
		d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->device = device;
	LL_PREPEND(count->first, d);
	return d;
}

int kernel_count__add_row(struct kernel_count *count, const struct io_row *row, uint64_t from_ns)
{
	struct counted_device *d;

	if (io_row_tick_op(row) < 0)
		return 0;
	d = find_device(count, row->device);
	if (!d)
		return -ENOMEM;
	d->rows++;
	d->started_before += row->created_ns < from_ns;
	edges_add_io(&d->edges, row);
	return 0;
}

int kernel_count__add_tick(struct kernel_count *count, const struct tick_row *tick)
{
	struct counted_device *d = find_device(count, tick->device);

	if (!d)
		return -ENOMEM;
	for (unsigned int op = 0; op < TICK_OP_COUNT; op++)
		d->kernel += tick->ios[op];
	d->in_flight_at_end = tick->in_flight;
	edges_add_tick(&d->edges, tick);
	return 0;
}

uint64_t kernel_count__missing(const struct kernel_count *count)
{
	uint64_t missing = 0;

	for (const struct counted_device *d = count->first; d; d = d->next) {
		uint64_t of_edges = d->started_before + d->in_flight_at_end + edges_ios(&d->edges);

		if (d->rows && d->kernel > d->rows + of_edges)
			missing += d->kernel - d->rows;
	}
	return missing;
}
