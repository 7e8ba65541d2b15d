/* SPDX-License-Identifier: MIT */
/* The metrics of 'blkreel serve', family by family. */
#ifndef BLKREEL_RENDER_METRICS_METRICS_H
#define BLKREEL_RENDER_METRICS_METRICS_H

#include <limits.h>

#include "collector/counters/cgroup_counts.h"
#include "collector/counters/live.h"
#include "collector/counters/live_cache.h"
#include "render/metrics/exemplars.h"
#include "render/metrics/exposition.h"

struct metrics_source {
	const struct live *live;
	const struct live_sample *total; /* since the start */
	const struct live_sample *part;	 /* since the last scrape */
	/* NULL where there is none. */
	const struct cgroup_counts *counts;
	const struct cgroup_places *places;	  /* of `counts` */
	const struct cgroup_table *cache;	  /* sums: enum live_cache_sum */
	const struct cgroup_places *cache_places; /* of `cache` */
	const struct exemplars *exemplars;	  /* of the latencies of devices */
	uint64_t scrapes;
	uint64_t scrape_ns; /* what all scrapes before this one took */
	uint64_t start_ns;  /* CLOCK_REALTIME */
	bool has_cache;
};

/* Writes all metrics to `sink`. 0, -ENOMEM, or what the sink returned. */
int metrics__write(const struct metrics_source *source, enum exposition_format format,
		   int (*sink)(const char *text, size_t bytes, void *context), void *context);

/* The groups of families. */
void metrics__devices(struct exposition *x, const struct metrics_source *source);
void metrics__own(struct exposition *x, const struct metrics_source *source);
/* 0 or -ENOMEM. */
int metrics__cache(struct exposition *x, const struct metrics_source *source);
int metrics__cgroups(struct exposition *x, const struct metrics_source *source);

#define METRICS_LABELS_MAX 512
/* Each byte of a path may need five, \\xHH, and there are some other labels. */
#define METRICS_CGROUP_LABELS_MAX (5 * PATH_MAX + 8192)

/* Makes `labels` the one of a cgroup; NULL: other. */
void metrics__cgroup_label(const struct cgroup_place *place,
			   char labels[METRICS_CGROUP_LABELS_MAX]);

#endif
