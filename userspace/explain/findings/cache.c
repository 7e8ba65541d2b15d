// SPDX-License-Identifier: MIT
/* Findings about the page cache. */
#include "base/units.h"
#include "explain/findings/families.h"
#include "explain/findings/thresholds.h"

static const struct explain_group *file_with_most_misses(const struct explanation *x)
{
	const struct explain_group *most = NULL;

	for (uint32_t i = 0; i < x->by_file.count; i++)
		if (!most || x->by_file.list[i].cache_miss_pages > most->cache_miss_pages)
			most = &x->by_file.list[i];
	return most && most->cache_miss_pages ? most : NULL;
}

static uint64_t file_read_latency_ns(const struct explanation *x)
{
	uint64_t latency_ns = 0;

	for (uint32_t i = 0; i < x->device_count; i++) {
		const struct explain_device *d = x->devices[i];

		latency_ns += d->origin[DIRECTION_READ][IO_ORIGIN_FILE].latency_ns;
		/* It passed while the device above had its IO. */
		if (!x->devices_chosen)
			latency_ns -= d->linked.origin[DIRECTION_READ][IO_ORIGIN_FILE].latency_ns;
	}
	return latency_ns;
}

/* Programs asked for hardly more pages than devices read, and devices read hardly any block twice. */
static bool was_read_once(const struct explanation *x)
{
	uint64_t fetched = x->cache.demand_miss_pages + x->cache.readahead_added_pages;

	return x->reread_pct < READ_ONCE_REREAD_PCT &&
	       explain_pct(x->cache.read_pages, fetched) < READ_ONCE_ASKED_PCT;
}

static bool cache_cold_applies(const struct explanation *x)
{
	const struct explain_cache *c = &x->cache;

	return c->hits_known && c->read_pages >= FINDING_MIN_PAGES &&
	       explain_pct(c->demand_miss_pages, c->read_pages) >= COLD_MISS_PCT;
}

bool finding_read_once_applies(const struct explanation *x)
{
	return cache_cold_applies(x) && !finding_dropped_applies(x) && was_read_once(x);
}

static void finding_cache_cold(struct finding_list *list)
{
	const struct explanation *x = list->x;
	const struct explain_cache *c = &x->cache;
	const struct explain_group *file = file_with_most_misses(x);
	struct explain_finding *finding;

	if (!cache_cold_applies(x))
		return;
	finding = finding_add(list, "cache-cold", SEVERITY_WARNING, NULL);
	finding_title(finding,
		      "readers waited for the device: the page cache was cold or too small");
	finding_evidence(finding,
			 "%s of %s pages read (%.0f %%) were not in the page cache and were waited "
			 "for; %s device reads of file pages took %s in total.%s%s",
			 COUNT_TEXT(c->demand_miss_pages), COUNT_TEXT(c->read_pages),
			 explain_pct(c->demand_miss_pages, c->read_pages),
			 COUNT_TEXT(x->flow.device_ios[IO_ORIGIN_FILE]),
			 TIME_TEXT(file_read_latency_ns(x)), file ? " Most misses: " : "",
			 file ? file->name : "");
	if (finding_dropped_applies(x)) {
		finding_advice(finding, "See what %s drops from the page cache.",
			       x->dropping.dropper);
		return;
	}
	if (finding_read_once_applies(x)) {
		finding_advice(finding,
			       "Each page was read about once: no cache can help. Reading larger "
			       "pieces (readahead, more bytes a read) or a faster device can.");
		return;
	}
	finding_advice(finding,
		       "If these files fit in memory, read them once before the load (vmtouch -t) "
		       "and leave the page cache room (memory.high of the cgroup); if they do not, "
		       "the latency of the device is what readers will see.");
}

bool finding_mostly_hits_applies(const struct explanation *x)
{
	const struct explain_cache *c = &x->cache;

	return c->hits_known && c->read_pages >= FINDING_MIN_PAGES &&
	       explain_pct(c->hit_pages, c->read_pages) >= HITS_PCT &&
	       explain_pct(c->readahead_added_pages, c->read_pages) <= HITS_READAHEAD_PCT;
}

static void finding_mostly_hits(struct finding_list *list)
{
	const struct explain_cache *c = &list->x->cache;
	struct explain_finding *finding;

	/* A few misses can take nearly all of the time. */
	if (!finding_mostly_hits_applies(list->x) ||
	    explain_pct(file_read_latency_ns(list->x), list->x->duration_ns) > HITS_DEVICE_PCT)
		return;
	finding = finding_add(list, "mostly-hits", SEVERITY_INFO, NULL);
	finding_title(finding, "buffered reads are served by the page cache, not by the device");
	finding_evidence(finding,
			 "%s of %s pages read (%.1f %%) were in the page cache; readahead brought "
			 "%s of them.",
			 COUNT_TEXT(c->hit_pages), COUNT_TEXT(c->read_pages),
			 explain_pct(c->hit_pages, c->read_pages),
			 COUNT_TEXT(c->readahead_used_pages));
	finding_advice(finding,
		       "A faster device will not make these reads faster; if they are slow, "
		       "look at CPU, locks and copying (perf top).");
}

static void finding_readahead_wasted(struct finding_list *list)
{
	const struct explain_cache *c = &list->x->cache;
	struct explain_finding *finding;

	if (!explain_cache_knows(c, CACHE_READAHEAD) ||
	    c->readahead_added_pages < FINDING_MIN_PAGES ||
	    explain_pct(c->readahead_wasted_pages, c->readahead_added_pages) < READAHEAD_WASTED_PCT)
		return;
	finding = finding_add(list, "readahead-wasted", SEVERITY_WARNING, NULL);
	finding_title(finding, "readahead fetched pages that nobody read");
	finding_evidence(finding,
			 "%s of %s pages brought by readahead (%.0f %%, %s) left the page cache "
			 "without having been read.",
			 COUNT_TEXT(c->readahead_wasted_pages),
			 COUNT_TEXT(c->readahead_added_pages),
			 explain_pct(c->readahead_wasted_pages, c->readahead_added_pages),
			 BYTES_TEXT(c->readahead_wasted_pages * PAGE_BYTES));
	finding_advice(finding,
		       "Tell the kernel that access is random (posix_fadvise POSIX_FADV_RANDOM, or "
		       "madvise for a mapping), or lower read_ahead_kb of the device (blockdev "
		       "--setra); if access is sequential, memory is too short to keep what was "
		       "read ahead.");
}

void findings_of_cache(struct finding_list *list)
{
	finding_cache_cold(list);
	finding_mostly_hits(list);
	finding_readahead_wasted(list);
}
