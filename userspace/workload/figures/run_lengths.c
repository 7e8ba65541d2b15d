// SPDX-License-Identifier: MIT
#include "workload/figures/run_lengths.h"

#include <string.h>

#include "base/units.h"

static void close_run(struct run_lengths *r, unsigned int at, struct histogram *lengths)
{
	if (r->open[at].ios)
		histogram_add_many(lengths, r->open[at].ios, r->open[at].ios);
	memmove(&r->open[at], &r->open[at + 1], (--r->count - at) * sizeof(r->open[0]));
}

/* The position of the run that ends at `sector`; `count`: there is none. */
static unsigned int find(const struct run_lengths *r, uint64_t sector)
{
	unsigned int at = 0;

	while (at < r->count && r->open[at].end != sector)
		at++;
	return at;
}

void run_lengths_add(struct run_lengths *r, uint64_t sector, uint64_t bytes,
		     struct histogram *lengths)
{
	uint64_t end = sector + (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES, ios = 1;
	unsigned int at = find(r, sector);

	if (at < r->count) {
		ios += r->open[at].ios;
		r->open[at].ios = 0;
		close_run(r, at, lengths);
	}
	at = find(r, end);
	if (at == r->count && r->count == RUN_LENGTHS_OPEN)
		at = r->count - 1;
	if (at < r->count)
		close_run(r, at, lengths);
	memmove(&r->open[1], &r->open[0], r->count * sizeof(r->open[0]));
	r->open[0].end = end;
	r->open[0].ios = ios;
	r->count++;
}

void run_lengths_end(struct run_lengths *r, struct histogram *lengths)
{
	while (r->count)
		close_run(r, r->count - 1, lengths);
}
