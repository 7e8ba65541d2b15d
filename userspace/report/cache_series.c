// SPDX-License-Identifier: MIT
#include "report/cache_series.h"

#include <string.h>

static void sum_into(struct cache_interval *into, const struct cache_interval *from)
{
	if (from->from_ns < into->from_ns)
		into->from_ns = from->from_ns;
	if (from->to_ns > into->to_ns)
		into->to_ns = from->to_ns;
	into->read += from->read;
	into->missed += from->missed;
	into->readahead += from->readahead;
	into->dirtied += from->dirtied;
	into->written_back += from->written_back;
	into->evicted += from->evicted;
}

static void unite_pairs(struct cache_series *s)
{
	for (uint32_t i = 0; i < s->count / 2; i++) {
		struct cache_interval pair = s->list[2 * i];

		sum_into(&pair, &s->list[2 * i + 1]);
		s->list[i] = pair;
	}
	if (s->count % 2)
		s->list[s->count / 2] = s->list[s->count - 1];
	s->count = (s->count + 1) / 2;
}

/* The last interval that begins before the end of the row; NULL: there is none. */
static struct cache_interval *interval_of(struct cache_series *s, uint64_t time_ns)
{
	for (uint32_t i = s->count; i; i--)
		if (s->list[i - 1].from_ns < time_ns || i == 1)
			return &s->list[i - 1];
	return NULL;
}

void cache_series_add(struct cache_series *s, const struct cache_row *row)
{
	uint64_t length_ns = row->interval_ns < row->time_ns ? row->interval_ns : row->time_ns;
	struct cache_interval added = {
		.from_ns = row->time_ns - length_ns,
		.to_ns = row->time_ns,
		.read = row->read_pages,
		.missed = row->demand_miss_pages,
		.readahead = row->readahead_used_pages,
		.dirtied = row->dirtied_pages,
		.written_back = row->written_back_pages,
		.evicted = row->evicted_pages,
	};
	struct cache_interval *last;

	if (s->count == CACHE_INTERVALS_MAX)
		unite_pairs(s);
	last = s->count ? &s->list[s->count - 1] : NULL;
	if (!last || row->time_ns > last->to_ns) {
		if (last && added.from_ns < last->to_ns)
			added.from_ns = last->to_ns;
		s->list[s->count++] = added;
		return;
	}
	last = interval_of(s, row->time_ns);
	added.from_ns = last->from_ns;
	added.to_ns = last->to_ns;
	sum_into(last, &added);
}
