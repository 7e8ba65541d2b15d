/* SPDX-License-Identifier: MIT */
/* The account of the page cache over time, in the intervals of its rows, or several of them. */
#ifndef BLKREEL_REPORT_CACHE_SERIES_H
#define BLKREEL_REPORT_CACHE_SERIES_H

#include "trace/rows.h"

#define CACHE_INTERVALS_MAX 1000u

/* In pages of 4 KiB. `readahead` are of the hits. */
struct cache_interval {
	uint64_t from_ns, to_ns;
	uint64_t read, missed, readahead, dirtied, written_back, evicted;
};

/* Zero-filled is empty. Intervals do not overlap and rise. */
struct cache_series {
	struct cache_interval list[CACHE_INTERVALS_MAX];
	uint32_t count;
};

/* Rows come nearly in the order of their times. */
void cache_series_add(struct cache_series *s, const struct cache_row *row);

#endif
