// SPDX-License-Identifier: MIT
/* The page cache, and the path of the data from the device to the application. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"
#include "render/explain/explain.h"
#include "render/table.h"

#define REMARK_MAX 64

static void add_pages(struct table *t, const char *label, uint64_t pages, uint64_t whole,
		      const char *remark)
{
	table__cell(t, "%s", label);
	table__cell(t, "%s", COUNT_TEXT(pages));
	if (whole)
		table__cell(t, "%.1f %%", explain_pct(pages, whole));
	else
		table__cell(t, "%s", "");
	table__cell(t, "%s", remark);
}

static const char *quality(const struct explain_cache *c, enum explain_cache_figure figure)
{
	return *c->quality[figure] ? c->quality[figure] : "not said";
}

static void print_quality(FILE *out, const struct explain_cache *c)
{
	char text[256];
	bool is_said = false;

	fprintf(out, "\nPage cache, in pages of 4 KiB\n");
	for (int figure = 0; figure < CACHE_FIGURE_COUNT; figure++)
		is_said |= *c->quality[figure] != '\0';
	if (!is_said)
		return;
	snprintf(text, sizeof(text),
		 "reads %s, misses %s, readahead %s, page faults %s, dirtied %s",
		 quality(c, CACHE_READS), quality(c, CACHE_DEMAND_MISSES),
		 quality(c, CACHE_READAHEAD), quality(c, CACHE_FAULTS), quality(c, CACHE_DIRTIED));
	text_wrapped(out, "  quality: ", text);
}

static void add_unknown(struct table *t, const char *label)
{
	table__cell(t, "%s", label);
	table__cell(t, "not known");
	table__end_row(t);
}

static void add_reads(struct table *t, const struct explain_cache *c)
{
	char remark[64];

	if (!explain_cache_knows(c, CACHE_READS)) {
		add_unknown(t, "read");
		return;
	}
	snprintf(remark, sizeof(remark), "in %s operations", COUNT_TEXT(c->read_operations));
	add_pages(t, "read", c->read_pages, 0, remark);
	if (c->read_pages && c->hits_known) {
		add_pages(t, "  hit", c->hit_pages, c->read_pages, "");
		add_pages(t, "  waited for", c->demand_miss_pages, c->read_pages,
			  "missed, fetched on demand");
	} else if (c->read_pages) {
		add_unknown(t, "  hit");
	}
	if (c->waits) {
		snprintf(remark, sizeof(remark), "pages being read, %s in total",
			 TIME_TEXT(c->wait_ns));
		add_pages(t, "  waits", c->waits, 0, remark);
	}
	if (c->fault_pages)
		add_pages(t, "  by page fault", c->fault_pages, c->read_pages,
			  "of those above, through a mapping");
}

static void add_readahead(struct table *t, const struct explain_cache *c)
{
	if (!explain_cache_knows(c, CACHE_READAHEAD)) {
		add_unknown(t, "brought by readahead");
		return;
	}
	add_pages(t, "brought by readahead", c->readahead_added_pages, 0, "");
	if (!c->readahead_added_pages)
		return;
	add_pages(t, "  used", c->readahead_used_pages, c->readahead_added_pages, "");
	add_pages(t, "  wasted", c->readahead_wasted_pages, c->readahead_added_pages,
		  "left the cache unread");
	add_pages(t, "  not known", c->readahead_unknown_pages, c->readahead_added_pages,
		  "still cached, changed or not followed");
}

static void add_direct(struct table *t, const struct explain_cache *c)
{
	char remark[96];

	snprintf(remark, sizeof(remark), "IOs, %s read, %s written",
		 BYTES_TEXT(c->direct_read_bytes), BYTES_TEXT(c->direct_write_bytes));
	add_pages(t, "with O_DIRECT", c->direct_reads + c->direct_writes, 0, remark);
}

static const char *why_reclaimed(const struct explain_cache *c, char remark[REMARK_MAX])
{
	if (!c->damon_pages)
		return "memory was short";
	if (c->damon_pages == c->evicted_pages)
		return "by DAMON, unused for a while";
	snprintf(remark, REMARK_MAX, "memory was short; %s by DAMON", COUNT_TEXT(c->damon_pages));
	return remark;
}

static void add_cache(struct table *t, const struct explain_cache *c)
{
	char remark[REMARK_MAX];

	add_reads(t, c);
	add_readahead(t, c);
	if (explain_cache_knows(c, CACHE_OVERWRITTEN) && c->written_pages) {
		add_pages(t, "written", c->written_pages, 0, "");
		add_pages(t, "  dirty already", c->overwritten_pages, c->written_pages, "");
	}
	if (explain_cache_knows(c, CACHE_DIRTIED))
		add_pages(t, "dirtied", c->dirtied_pages, 0, "");
	else
		add_unknown(t, "dirtied");
	add_pages(t, "written back", c->written_back_pages, 0, "");
	if (c->throttles) {
		snprintf(remark, sizeof(remark), "writers waited %s in total",
			 TIME_TEXT(c->throttle_ns));
		add_pages(t, "throttled", c->throttles, 0, remark);
	}
	if (c->evicted_pages)
		add_pages(t, "reclaimed", c->evicted_pages, 0, why_reclaimed(c, remark));
	if (c->direct_reads || c->direct_writes)
		add_direct(t, c);
}

int explain_print_cache(FILE *out, const struct explanation *x)
{
	struct table *t;
	int err;

	if (!x->cache.recorded) {
		if (!x->what_if.recorded && !x->cut_before_rows)
			fprintf(out, "\nPage cache: %s.\n",
				explain_cache_is_left_out(x)
					? "left out by 'blkreel copy' (its rows have no device)"
					: "not recorded ('blkreel record --cache' does)");
		return 0;
	}
	print_quality(out, &x->cache);
	if (x->devices_chosen)
		fprintf(out, "  of all devices: the page cache is not told apart by device\n");
	t = table__new("lrrl");
	if (!t)
		return -ENOMEM;
	add_cache(t, &x->cache);
	err = table__print(t, out, 2);
	table__free(t);
	return err;
}

static const struct {
	enum io_origin origin;
	const char *label;
} shown_origins[] = {
	{IO_ORIGIN_FILE, "file pages"},		 {IO_ORIGIN_BLOCKDEV, "metadata, raw blocks"},
	{IO_ORIGIN_DIRECT, "direct (O_DIRECT)"}, {IO_ORIGIN_SWAP, "swap"},
	{IO_ORIGIN_UNKNOWN, "unknown origin"},
};

#define ORIGINS_SHOWN (sizeof(shown_origins) / sizeof(shown_origins[0]))

static void add_bytes(struct table *t, const char *label, uint64_t bytes, const char *remark)
{
	table__cell(t, "%s", label);
	table__cell(t, "%s", BYTES_TEXT(bytes));
	table__cell(t, "%s", remark);
}

static void add_device_reads(struct table *t, const struct explain_flow *f)
{
	uint64_t bytes = 0, ios = 0;
	char label[48], remark[96];
	size_t last = 0;

	for (size_t i = 0; i < ORIGINS_SHOWN; i++) {
		bytes += f->device_bytes[shown_origins[i].origin];
		ios += f->device_ios[shown_origins[i].origin];
		if (f->device_ios[shown_origins[i].origin])
			last = i;
	}
	snprintf(remark, sizeof(remark), "in %s IO%s", COUNT_TEXT(ios), ios == 1 ? "" : "s");
	add_bytes(t, "devices read", bytes, remark);
	for (size_t i = 0; i < ORIGINS_SHOWN && ios; i++) {
		enum io_origin origin = shown_origins[i].origin;

		if (!f->device_ios[origin])
			continue;
		snprintf(label, sizeof(label), "%s %s", i == last ? "`--" : "|--",
			 shown_origins[i].label);
		snprintf(remark, sizeof(remark), "in %s IO%s", COUNT_TEXT(f->device_ios[origin]),
			 f->device_ios[origin] == 1 ? "" : "s");
		add_bytes(t, label, f->device_bytes[origin], remark);
	}
}

static void print_gap(FILE *out, const struct explanation *x)
{
	const struct explain_flow *f = &x->flow;
	char text[256] = "";

	if (f->gap == GAP_SMALL_BLOCKS)
		snprintf(text, sizeof(text),
			 "A file system with blocks below 4 KiB (%s reads were no multiple of it) "
			 "does not read what lies past the end of a file.",
			 COUNT_TEXT(f->part_page_reads));
	else if (f->gap == GAP_OWN_PAGES)
		snprintf(
			text, sizeof(text),
			"The devices read %s of unknown origin: a file system that compresses reads "
			"into pages of its own, fewer bytes than it then has.",
			BYTES_TEXT(f->device_bytes[IO_ORIGIN_UNKNOWN]));
	else if (f->gap == GAP_CUT_INTERVAL)
		snprintf(
			text, sizeof(text),
			"The trace begins or ends inside an interval of the page cache: up to %s of "
			"what the cache or the devices did is missing.",
			TIME_TEXT(x->cache.longest_interval_ns));
	else if (f->gap == GAP_HOLES)
		snprintf(
			text, sizeof(text),
			"Holes of files, and data kept in an inode, need no read of a device; files "
			"on devices that were not recorded are not seen.");
	if (*text)
		text_wrapped(out, "  ", text);
}

static void print_amplification(FILE *out, const struct explanation *x)
{
	const struct explain_flow *f = &x->flow;
	char text[256];

	if (f->read_amplification <= 0)
		return;
	if (!f->amplification_is_lower_bound) {
		fprintf(out,
			"  %.2f bytes of files were read from the devices for each byte used.\n",
			f->read_amplification);
		return;
	}
	snprintf(text, sizeof(text),
		 "At least %.2f bytes of files were read from the devices for each byte used: "
		 "whether %s pages mapped around page faults were used is not seen. %.2f for each "
		 "byte that programs asked for.",
		 f->read_amplification, COUNT_TEXT(x->cache.readahead_untracked_pages),
		 f->application_bytes
			 ? (double)f->device_bytes[IO_ORIGIN_FILE] / (double)f->application_bytes
			 : 0);
	text_wrapped(out, "  ", text);
}

/* Pages that no read, readahead or write added. Those of a device are its file system's metadata. */
static void print_other_pages(FILE *out, const struct explain_cache *c)
{
	uint64_t others = c->other_added_pages - c->blockdev_other_pages;

	if (c->blockdev_other_pages)
		fprintf(out,
			"  Pages of devices (metadata of file systems) added to the cache: %s.\n",
			COUNT_TEXT(c->blockdev_other_pages));
	if (others)
		fprintf(out, "  Pages added to the cache for unknown reasons: %s.\n",
			COUNT_TEXT(others));
}

/* The page cache and the devices count the same pages; the two counts must agree. */
static void print_closing(FILE *out, const struct explanation *x)
{
	const struct explain_flow *f = &x->flow;
	char text[320], others[64] = "", writes[80] = "";
	uint64_t apart = explain_pages_apart(f);

	if (!f->closed || (!f->fetched_file_pages && !f->device_file_pages))
		return;
	if (f->other_file_pages)
		snprintf(others, sizeof(others), " and %s for metadata or unknown reasons",
			 COUNT_TEXT(f->other_file_pages));
	if (f->partial_write_pages)
		snprintf(writes, sizeof(writes), " and %s of which writes changed a part",
			 COUNT_TEXT(f->partial_write_pages));
	snprintf(text, sizeof(text),
		 "The cache fetched %s file pages%s%s, the devices read %s: %s%s unaccounted.",
		 COUNT_TEXT(f->fetched_file_pages), others, writes,
		 COUNT_TEXT(f->device_file_pages), f->unaccounted_pages < 0 ? "-" : "",
		 apart ? COUNT_TEXT(apart) : "none");
	text_wrapped(out, "  ", text);
	print_gap(out, x);
	print_other_pages(out, &x->cache);
	print_amplification(out, x);
}

int explain_print_flow(FILE *out, const struct explanation *x)
{
	const struct explain_flow *f = &x->flow;
	char remark[96] = "";
	struct table *t;
	int err;

	if (!x->cache.recorded || !x->cache.hits_known || !x->cache.read_pages)
		return 0;
	t = table__new("lrl");
	if (!t)
		return -ENOMEM;
	fprintf(out, "\nHow the data came\n");
	add_bytes(t, "applications read", f->application_bytes, "through the page cache");
	if (x->cache.readahead_used_pages)
		snprintf(remark, sizeof(remark), "%s of it brought by readahead",
			 BYTES_TEXT(x->cache.readahead_used_pages * PAGE_BYTES));
	add_bytes(t, "|-- found there", f->hit_bytes, remark);
	add_bytes(t, "`-- waited for", f->demand_bytes, "");
	snprintf(remark, sizeof(remark), "%s on demand, %s readahead", BYTES_TEXT(f->demand_bytes),
		 BYTES_TEXT(f->readahead_bytes));
	add_bytes(t, "the cache fetched", f->demand_bytes + f->readahead_bytes, remark);
	add_device_reads(t, f);
	err = table__print(t, out, 2);
	table__free(t);
	if (!err)
		print_closing(out, x);
	return err;
}
