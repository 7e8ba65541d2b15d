// SPDX-License-Identifier: MIT
/* The places of the charts, and why one of them is empty. */
#include "explain/what_if.h"
#include "render/report/html.h"
#include "render/report/page.h"
#include "report/report.h"

static bool has_rows(const struct report *r)
{
	return r->explanation->io_rows > 0;
}

/* Recordings of counts and histograms have a load, too. */
static bool has_ios(const struct report *r)
{
	for (int op = 0; op < TICK_OP_COUNT; op++)
		for (uint32_t i = 0; i < r->timeline.bins; i++)
			if (r->timeline.load[op].ios[i])
				return true;
	return false;
}

static bool has_latency(const struct report *r)
{
	uint32_t lowest, highest;

	return heat_map_range(&r->latency, &lowest, &highest);
}

static bool has_depth(const struct report *r)
{
	for (uint32_t i = 0; i < r->timeline.bins; i++)
		if (r->timeline.depth_max[i] || r->timeline.in_flight_ns[i])
			return true;
	return false;
}

static const char no_rows[] = "The trace has no row for each IO.";
static const char no_address[] = "No IO of this trace has an address.";
static const char no_latency[] = "No IO of this trace has a known latency.";
static const char cut_before_rows[] = "The file breaks off before its first row.";

/* Why there are no IOs; where there are some, `otherwise`. */
static const char *no_ios(const struct report *r, const char *otherwise)
{
	if (r->explanation->cut_before_rows)
		return cut_before_rows;
	return has_ios(r) ? otherwise : "No IO was recorded.";
}

/* NULL: it can be drawn. */
static const char *cache_missing(const struct report *r)
{
	if (r->explanation->cut_before_rows)
		return cut_before_rows;
	if (explain_cache_is_left_out(r->explanation))
		return "The page cache was left out: blkreel copy took a device or an operation.";
	if (!r->explanation->cache.recorded)
		return "The page cache was not recorded: blkreel record --cache does.";
	if (!r->cache.count)
		return "Nothing was read or written through the page cache.";
	return NULL;
}

static void print_chart(FILE *out, const char *id, const char *title, const char *question,
			const char *missing)
{
	const struct html_chart chart = {id, title, question, missing};

	html_chart(out, &chart);
}

/* report_fit() makes latency rows higher before bins wider. */
static void print_coarser(FILE *out, const struct report *r)
{
	if (r->latency_octave_rows < LATENCY_OCTAVE_ROWS)
		fprintf(out,
			"<p class=\"note\">For a small page, latencies are shown coarser than usual: %u rows "
			"for each power of two.</p>\n",
			r->latency_octave_rows);
}

static void print_flush_requests(FILE *out, const struct report *r)
{
	for (uint32_t i = 0; i < r->explanation->device_count; i++) {
		if (!r->explanation->devices[i]->flush_requests)
			continue;
		fputs("<p class=\"note\">Requests without data that flush the device cache are writes "
		      "in the load, and flushes in the latencies.</p>\n",
		      out);
		return;
	}
}

/* A tile has the latency of one device. */
static void print_all_devices(FILE *out, const struct report *r, const char *what)
{
	if (r->explanation->device_count > 1)
		fprintf(out, "<p class=\"note\">%s of all %u devices together.</p>\n", what,
			r->explanation->device_count);
}

void page_over_time(FILE *out, const struct report_trace *trace)
{
	const struct report *r = trace->report;
	const char *ios = no_ios(r, NULL);
	const char *latency = has_latency(r) ? NULL : no_ios(r, no_latency);
	bool several = r->addresses && r->explanation->device_count > 1;
	char addresses[128 + TRACE_NAME_MAX];

	fputs("<section id=\"time\"><h2>Over time <small class=\"hint\"></small></h2>\n"
	      "<div class=\"card stack\">\n",
	      out);
	print_chart(out, "load", "Load", "How many IOs came, of which kind?", ios);
	print_chart(out, "latency", "Latency",
		    "Where do the slow IOs lie in time: steady, in bursts, or apart?", latency);
	print_chart(out, "page-cache", "Page cache",
		    r->explanation->cache.hits_known
			    ? "Of the pages that were read: found, or waited for?"
			    : "How many pages were made dirty, written back and evicted?",
		    cache_missing(r));
	print_chart(out, "queue", "Queue", "How many IOs were at the device at once?",
		    has_depth(r) ? NULL : no_ios(r, has_rows(r) ? no_latency : no_rows));
	snprintf(addresses, sizeof(addresses),
		 "Sequential (slopes), random (dust), or hot spots (lines)?%s%s%s",
		 several ? " Of " : "", several ? r->addresses_device : "",
		 !several ? ""
		 : r->map_count < REPORT_MAPS_MAX
			 ? ", which has most IOs."
			 : ", which has most IOs of the first 16 devices.");
	print_chart(out, "addresses", "Addresses", addresses,
		    r->addresses ? NULL : no_ios(r, no_address));
	print_chart(out, "processes", "By process", "Who made the peaks?",
		    has_rows(r) ? NULL : no_ios(r, no_rows));
	print_all_devices(out, r, "Load, latency and queue are");
	print_coarser(out, r);
	print_flush_requests(out, r);
	fputs("</div></section>\n", out);
}

/* Without an account of the page cache nothing can be said about its flow. */
static const char *flow_missing(const struct report *r)
{
	const struct explanation *x = r->explanation;

	if (!x->cache.recorded)
		return cache_missing(r);
	if (!x->cache.hits_known || !x->cache.fetched_known)
		return "This kernel cannot tell hits or readahead.";
	return x->cache.read_pages ? NULL : "Nothing was read through the page cache.";
}

static bool has_preflushes(const struct report *r)
{
	const struct explanation *x = r->explanation;

	for (uint32_t i = 0; i < x->device_count; i++)
		if (x->devices[i]->preflush_ns)
			return true;
	return false;
}

static const char *fates_missing(const struct report *r)
{
	const struct explain_cache *c = &r->explanation->cache;
	const char *missing = cache_missing(r);

	if (missing || explain_cache_knows(c, CACHE_READAHEAD) ||
	    explain_cache_knows(c, CACHE_OVERWRITTEN))
		return missing;
	return "This kernel cannot tell what became of pages.";
}

void page_figures(FILE *out, const struct report_trace *trace)
{
	const struct report *r = trace->report;
	const char *latency = has_latency(r) ? NULL : no_ios(r, no_latency);

	fputs("<section id=\"ios\"><h2>What the IOs were</h2>\n<div class=\"columns\">\n", out);
	fputs("<div class=\"card\">", out);
	print_chart(out, "percentiles", "Latency percentiles",
		    "How bad is one in a hundred, one in a thousand?", latency);
	if (!latency)
		print_all_devices(out, r, "The curves are");
	fputs("</div><div class=\"card\">", out);
	print_chart(
		out, "where", "Where the time of an IO goes",
		has_preflushes(r)
			? "Waiting before the driver (pale; with the flush before a write), or in the device?"
			: "Waiting before the driver (pale), or in the device?",
		latency);
	fputs("</div><div class=\"card\">", out);
	print_chart(out, "sizes", "Sizes", "Many small or few large?", no_ios(r, NULL));
	if (r->explanation->waits.recorded && r->explanation->waits.task_count) {
		fputs("</div><div class=\"card\">", out);
		print_chart(out, "waits", "Where the time of each task goes",
			    "What did those who waited most wait for?", NULL);
	}
	fputs("</div></div>\n", out);
	page_devices(out, r->explanation);
	fputs("</section>\n<section id=\"cache\"><h2>Page cache</h2>\n<div class=\"columns\">\n",
	      out);
	fputs("<div class=\"card\">", out);
	print_chart(out, "flow", "From applications to the device",
		    "Of the bytes that applications read, which did the device have to bring?",
		    flow_missing(r));
	fputs("</div><div class=\"card\">", out);
	print_chart(out, "fates", "Pages, by what became of them",
		    "Did readahead pay? Were writes absorbed?", fates_missing(r));
	fputs("</div><div class=\"card\">", out);
	print_chart(out, "misses", "Cache miss curve", "What would more, or less, cache change?",
		    r->misses.references ? NULL : no_ios(r, no_address));
	fputs("</div></div></section>\n", out);
}

static void print_latency_of(FILE *out, const struct report_trace *trace, unsigned int i)
{
	const char letter = (char)('A' + (int)i);

	fprintf(out,
		"<section class=\"chart\" id=\"latency-%u\" data-chart=\"latency\" data-trace=\"%u\" "
		"aria-labelledby=\"latency-%u-title\"><header><h3 id=\"latency-%u-title\">Latency of %c</h3>"
		"<p class=\"question\">",
		i, i, i, i, letter);
	html_text(out, page_file_name(trace->path));
	fputs("</p><div class=\"tools\"></div></header>\n<div class=\"plot\">", out);
	if (!has_latency(trace->report))
		fprintf(out, "<p class=\"empty\">%s</p>", no_ios(trace->report, no_latency));
	fputs("</div></section>\n", out);
}

void page_side_by_side(FILE *out, const struct report_trace *traces, unsigned int count)
{
	bool any = false;

	for (unsigned int i = 0; i < count; i++)
		any |= has_ios(traces[i].report);
	fputs("<section id=\"time\"><h2>Over time <small class=\"hint\"></small></h2>\n"
	      "<div class=\"card stack\">\n",
	      out);
	print_chart(out, "loads", "Load", "Did each get the same load at the same time?",
		    any ? NULL : no_ios(traces[0].report, NULL));
	for (unsigned int i = 0; i < count; i++)
		print_latency_of(out, &traces[i], i);
	print_coarser(out, traces[0].report);
	fputs("</div></section>\n<section id=\"sizes-section\"><h2>Sizes</h2><div class=\"card\">",
	      out);
	print_chart(out, "size-shares", "Sizes of IOs", "Shares of the reads and writes of each",
		    any ? NULL : no_ios(traces[0].report, NULL));
	fputs("</div></section>\n", out);
}
