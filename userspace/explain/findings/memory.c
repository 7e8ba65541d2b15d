// SPDX-License-Identifier: MIT
/* Findings about memory: pages cached twice, read again, or evicted by others. */
#include <stdio.h>
#include <string.h>

#include "base/units.h"
#include "explain/findings/families.h"
#include "explain/findings/thresholds.h"

static uint64_t fetched_pages(const struct explanation *x)
{
	return x->cache.demand_miss_pages + x->cache.readahead_added_pages;
}

/* Reclaimed because memory was short. */
static uint64_t short_pages(const struct explain_cache *c)
{
	return c->evicted_pages - c->damon_pages;
}

/* Estimated: read again after they had been reclaimed because memory was short. */
static uint64_t short_again_pages(const struct explanation *x)
{
	double short_pct = explain_pct(short_pages(&x->cache), x->cache.evicted_pages);

	return (uint64_t)(short_pct / 100 * (double)x->evicted_again_pages);
}

static bool thrashing_applies(const struct explanation *x)
{
	double again_pages = x->reread_pct / 100 * (double)fetched_pages(x);

	return short_pages(&x->cache) >= FINDING_MIN_PAGES &&
	       x->reread_pct >= THRASHING_REPEATED_PCT &&
	       (double)short_again_pages(x) >= THRASHING_EVICTED_PCT / 100 * again_pages;
}

static void finding_thrashing(struct finding_list *list)
{
	const struct explanation *x = list->x;
	uint64_t pages = short_pages(&x->cache);
	struct explain_finding *finding;

	if (!thrashing_applies(x))
		return;
	finding = finding_add(list, "thrashing", SEVERITY_WARNING, NULL);
	finding->saves_pct = explain_pct(short_again_pages(x), fetched_pages(x));
	finding_title(finding, "the page cache is too small: evicted pages are read again");
	finding_evidence(
		finding,
		"%s pages (%s) were reclaimed because memory was short; about %.0f %% of the 4 KiB "
		"blocks that the devices read for files had been read before in this "
		"recording.",
		COUNT_TEXT(pages), BYTES_TEXT(pages * PAGE_BYTES), x->reread_pct);
	finding_advice(
		finding,
		"Give the cache more memory (memory.high and memory.max of the cgroup, or less of "
		"other processes), or read what is read once only with "
		"posix_fadvise POSIX_FADV_DONTNEED behind it.");
}

bool finding_dropped_applies(const struct explanation *x)
{
	return x->dropping.again_pages >= FINDING_MIN_PAGES &&
	       explain_pct(x->dropping.again_pages, fetched_pages(x)) >= DROPPED_AGAIN_PCT;
}

static void finding_dropped(struct finding_list *list)
{
	const struct explain_dropping *d = &list->x->dropping;
	struct explain_finding *finding;
	const char *memory = thrashing_applies(list->x) ? "" : " More memory does not help.";
	char others[64] = "", who[96];

	if (!finding_dropped_applies(list->x))
		return;
	if (d->files > 1)
		snprintf(others, sizeof(others), " and %s more", COUNT_TEXT(d->files - 1));
	if (d->processes > 1)
		snprintf(who, sizeof(who), "%s processes of %s", COUNT_TEXT(d->processes),
			 d->dropper);
	else
		snprintf(who, sizeof(who), "%s (pid %u)", d->dropper, d->tgid);
	finding = finding_add(list, "dropped-and-read-again", SEVERITY_WARNING, NULL);
	finding->saves_pct = explain_pct(d->again_pages, fetched_pages(list->x));
	finding_title(finding, "%s dropped cached pages: about %s were read from the device again",
		      d->dropper, BYTES_TEXT(d->again_pages * PAGE_BYTES));
	finding_evidence(
		finding,
		"%s dropped %s pages (%s) of %s%s from the page cache, not for want of memory; "
		"about %.0f %% of the 4 KiB blocks that the devices read for files had been read "
		"before in this recording.",
		who, COUNT_TEXT(d->pages), BYTES_TEXT(d->pages * PAGE_BYTES), d->file, others,
		list->x->reread_pct);
	if (d->wrote_directly)
		finding_advice(finding,
			       "Writes with O_DIRECT remove the cached pages of what they write: "
			       "let %s write through the page cache, or let the readers read "
			       "with O_DIRECT and keep the data themselves. About %s less would "
			       "be read from the device.%s",
			       d->dropper, BYTES_TEXT(d->again_pages * PAGE_BYTES), memory);
	else if (d->used)
		finding_advice(
			finding,
			"Let %s keep what it has read (no posix_fadvise POSIX_FADV_DONTNEED, as dd "
			"iflag=nocache or a backup tool uses it): about %s less would be read from "
			"the device.%s",
			d->dropper, BYTES_TEXT(d->again_pages * PAGE_BYTES), memory);
	else
		finding_advice(
			finding,
			"%s dropped pages that it did not read itself: by posix_fadvise DONTNEED "
			"(as dd iflag=nocache does) or, if it is a shell, tee or sysctl, by "
			"/proc/sys/vm/drop_caches. Remove that call: about %s less would be read "
			"from the device.%s",
			d->dropper, BYTES_TEXT(d->again_pages * PAGE_BYTES), memory);
}

static void finding_evicts_others(struct finding_list *list)
{
	const struct explain_eviction *e = &list->x->eviction;
	struct explain_finding *finding;

	if (e->again_pages < FINDING_MIN_PAGES ||
	    explain_pct(e->again_pages, fetched_pages(list->x)) < EVICTED_AGAIN_PCT)
		return;
	finding = finding_add(list, "evicts-others", SEVERITY_WARNING, NULL);
	finding->saves_pct = explain_pct(e->again_pages, fetched_pages(list->x));
	finding_title(finding, "%s took cached pages from files that others use", e->evictor);
	finding_evidence(finding,
			 "%s (pid %u), which did not use %s, reclaimed %s pages (%s) of it because "
			 "memory was short; about %s of these were read from the device again.",
			 e->evictor, e->tgid, e->file, COUNT_TEXT(e->pages),
			 BYTES_TEXT(e->pages * PAGE_BYTES), COUNT_TEXT(e->again_pages));
	finding_advice(
		finding,
		"Give it a cgroup of its own with memory.high, or let it drop what it has read "
		"(posix_fadvise POSIX_FADV_DONTNEED); memory.low protects the others.");
}

static const struct explain_group *file_named(const struct explanation *x, const char *path)
{
	for (uint32_t i = 0; i < x->by_file.count; i++)
		if (!strcmp(x->by_file.list[i].name, path))
			return &x->by_file.list[i];
	return NULL;
}

static void finding_cached_twice(struct finding_list *list, const struct explain_device *d)
{
	static const char prefix[] = "file ";
	const struct explain_group *file;
	struct explain_finding *finding;

	if (strncmp(d->info.stacked_on, prefix, strlen(prefix)) != 0)
		return;
	file = file_named(list->x, d->info.stacked_on + strlen(prefix));
	if (!file || file->cache_read_pages < FINDING_MIN_PAGES ||
	    d->origin[DIRECTION_READ][IO_ORIGIN_FILE].ios == 0)
		return;
	finding = finding_add(list, "cached-twice", SEVERITY_WARNING, d);
	finding_title(finding, "what is read from %s is cached twice", d->info.name);
	finding_evidence(finding,
			 "%s is a loop device on %s, and %s pages of that file were read through "
			 "the page cache to serve it; the file system on %s caches the same data.",
			 d->info.name, file->name, COUNT_TEXT(file->cache_read_pages),
			 d->info.name);
	finding_advice(
		finding,
		"Let the loop device read its file directly: losetup --direct-io=on /dev/%s.",
		d->info.name);
}

/* Of a device below another they are those of the device above. */
static void add_swapped(const struct explanation *x, const struct explain_device *d,
			enum explain_direction direction, struct explain_origin *sum)
{
	const struct explain_origin *all = &d->origin[direction][IO_ORIGIN_SWAP];
	const struct explain_origin *linked = &d->linked.origin[direction][IO_ORIGIN_SWAP];
	bool counts = !x->devices_chosen;

	sum->ios += all->ios - (counts ? linked->ios : 0);
	sum->bytes += all->bytes - (counts ? linked->bytes : 0);
	sum->latency_ns += all->latency_ns - (counts ? linked->latency_ns : 0);
}

static void finding_swap(struct finding_list *list)
{
	struct explain_origin in = {0}, out = {0};
	const struct explanation *x = list->x;
	struct explain_finding *finding;

	for (uint32_t i = 0; i < x->device_count; i++) {
		add_swapped(x, x->devices[i], DIRECTION_READ, &in);
		add_swapped(x, x->devices[i], DIRECTION_WRITE, &out);
	}
	if (in.ios < FINDING_MIN_IOS || x->duration_ns < FINDING_MIN_DURATION_NS ||
	    explain_pct(in.latency_ns, x->duration_ns) < SWAP_PCT)
		return;
	finding = finding_add(list, "swapping", SEVERITY_WARNING, NULL);
	finding_title(finding, "memory is short: pages are read back from swap");
	finding_evidence(finding,
			 "%s reads of swap (%s) took %s in total, in a recording of %s; %s were "
			 "written to swap.",
			 COUNT_TEXT(in.ios), BYTES_TEXT(in.bytes), TIME_TEXT(in.latency_ns),
			 TIME_TEXT(x->duration_ns), BYTES_TEXT(out.bytes));
	finding_advice(finding,
		       "Give the machine or the cgroup (memory.high, memory.max) more memory, or "
		       "let its programs use less; a faster device only shortens the waits.");
}

void findings_of_memory(struct finding_list *list)
{
	finding_swap(list);
	finding_thrashing(list);
	finding_dropped(list);
	finding_evicts_others(list);
	for (uint32_t i = 0; i < list->x->device_count; i++)
		finding_cached_twice(list, list->x->devices[i]);
}
