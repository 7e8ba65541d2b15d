// SPDX-License-Identifier: MIT
/* The first screen: verdict, six figures, findings. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/units.h"
#include "explain/verdict.h"
#include "render/owners.h"
#include "render/report/html.h"
#include "render/report/page.h"
#include "report/report.h"

#define CARD_DEVICES 4u /* named in the title of a card, besides the first */

static void start_text(uint64_t start_wall_ns, char *text, size_t bytes)
{
	time_t seconds = (time_t)(start_wall_ns / NSEC_PER_SEC);
	struct tm utc;

	if (!gmtime_r(&seconds, &utc) || !strftime(text, bytes, "%Y-%m-%d %H:%M:%S UTC", &utc))
		*text = '\0';
}

static void print_losses(FILE *out, const struct explanation *x)
{
	if (x->cut)
		fputs("<span class=\"badge warning\">the end of the trace is missing</span>", out);
	if (x->lost)
		fprintf(out, "<span class=\"badge warning\">%s lost</span>",
			COUNTED_TEXT(x->lost, "event"));
	else if (explain_is_import(x))
		fputs("<span class=\"badge\">imported: losses of its source are not known</span>",
		      out);
	else if (!x->cut)
		fputs("<span class=\"badge good\">nothing lost</span>", out);
}

static void print_meta(FILE *out, const struct report_trace *trace)
{
	const struct explanation *x = trace->report->explanation;
	char start[64];

	fputs("<p class=\"meta\"><b>", out);
	html_text(out, page_file_name(trace->path));
	fprintf(out, "</b><span>%s</span>", TIME_TEXT(x->duration_ns));
	if (*x->host.hostname) {
		fputs("<span>host <b>", out);
		html_text(out, x->host.hostname);
		fputs("</b></span>", out);
	}
	if (*x->host.kernel) {
		fputs("<span>Linux ", out);
		html_text(out, x->host.kernel);
		fputs("</span>", out);
	}
	if (x->host.start_wall_ns) {
		start_text(x->host.start_wall_ns, start, sizeof(start));
		fprintf(out, "<span>%s</span>", start);
	}
	fprintf(out, "<span>device%s ", x->device_count == 1 ? "" : "s");
	for (uint32_t i = 0; i < x->device_count && i < 4; i++) {
		fputs(i ? ", <b>" : "<b>", out);
		html_text(out, x->devices[i]->info.name);
		fputs("</b>", out);
	}
	if (!x->device_count)
		fputs("none", out);
	if (x->device_count > 4)
		fprintf(out, " and %u more", x->device_count - 4);
	fputs("</span>", out);
	print_losses(out, x);
	fputs("</p>\n", out);
}

struct busiest {
	uint64_t all_ios;		   /* among which the IOs count */
	uint64_t ios, window_ns, after_ns; /* in one window, which begins so long after the start */
};

struct totals {
	struct explain_totals sums;
	struct busiest bin;
};

static struct totals totals_of(const struct report *r)
{
	struct totals t = {.sums = explain_totals_of(r->explanation),
			   .bin.window_ns = r->timeline.width_ns};

	t.bin.all_ios = t.sums.all_ios;
	for (uint32_t i = 0; i < r->timeline.bins; i++) {
		uint64_t ios = 0;

		for (int op = 0; op < TICK_OP_COUNT; op++)
			ios += r->timeline.load[op].ios[i];
		if (ios > t.bin.ios) {
			t.bin.ios = ios;
			t.bin.after_ns = i * r->timeline.width_ns;
		}
	}
	return t;
}

/* Of the reads and writes of one device, whatever the width of a bin. False: not known. */
static bool busiest_of(const struct explanation *x, unsigned int window, struct busiest *b)
{
	const struct peak_figures *p = x->device_count == 1 ? &x->devices[0]->peaks : NULL;
	uint64_t start_ns = x->host.start_ns;

	if (!p || !p->ios || peak_windows_ns[window] > x->duration_ns)
		return false;
	b->all_ios = p->ios;
	b->ios = p->windows[window].ios;
	b->window_ns = peak_windows_ns[window];
	b->after_ns = p->windows[window].ios_at_ns > start_ns
			      ? p->windows[window].ios_at_ns - start_ns
			      : 0;
	return true;
}

static double per_second(uint64_t count, uint64_t time_ns)
{
	return time_ns ? (double)count * (double)NSEC_PER_SEC / (double)time_ns : 0;
}

#define WINDOW_10_MS 0u
#define WINDOW_1_S   2u

static void print_bursts(FILE *out, const struct report *r, const struct totals *t)
{
	struct busiest b = t->bin;
	double mean, peak;

	busiest_of(r->explanation, WINDOW_10_MS, &b);
	mean = per_second(b.all_ios, r->explanation->duration_ns);
	peak = per_second(b.ios, b.window_ns);
	if (mean > 0 && peak > 2 * mean)
		fprintf(out,
			"<p class=\"rest\">In bursts: %.0f times the average in the busiest %s, %s "
			"%s.</p>\n",
			peak / mean, SPOKEN_TEXT(b.window_ns),
			b.after_ns ? SPOKEN_TEXT(b.after_ns) : "at",
			b.after_ns ? "after the start" : "the start");
}

/* The first sentence is the headline. A period inside a name or a number is followed by no blank. */
static void print_verdict(FILE *out, const struct explanation *x)
{
	char *verdict = strdup(x->verdict), *rest;

	if (!verdict)
		return;
	rest = strstr(verdict, ". ");
	if (rest) {
		rest[1] = '\0';
		rest += 2;
	}
	fputs("<h1>", out);
	html_text(out, verdict);
	fputs("</h1>\n", out);
	if (rest) {
		fputs("<p class=\"rest\">", out);
		html_text(out, rest);
		fputs("</p>\n", out);
	}
	free(verdict);
}

static void print_owner(FILE *out, const char *label)
{
	fputs("<b>", out);
	html_text(out, label);
	fputs("</b>", out);
}

static void print_owners(FILE *out, const struct explanation *x)
{
	if (!render_has_owners(x))
		return;
	fputs("<p class=\"rest owners\">", out);
	render_owners(out, x, print_owner);
	fputs("</p>\n", out);
}

/* "14.9 us" as number and unit, the unit small. */
static void print_value(FILE *out, const char *text)
{
	const char *blank = strchr(text, ' ');

	if (blank)
		fprintf(out, "%.*s <small>%s</small>", (int)(blank - text), text, blank + 1);
	else
		fputs(text, out);
}

static void begin_figure(FILE *out, const char *id, const char *title)
{
	fprintf(out, "<div class=\"figure\" data-figure=\"%s\"><dt>%s</dt><dd><p class=\"value\">",
		id, title);
}

static void cache_figure(FILE *out, const struct explanation *x)
{
	const struct explain_cache *c = &x->cache;
	uint64_t readahead =
		c->readahead_used_pages < c->hit_pages ? c->readahead_used_pages : c->hit_pages;

	begin_figure(out, "cache", "Found in the page cache");
	if (!c->recorded || !c->hits_known || !c->read_pages) {
		fprintf(out, "-</p><p>%s</p></dd></div>\n",
			x->cut_before_rows	       ? "no row could be read"
			: explain_cache_is_left_out(x) ? "left out by blkreel copy"
			: !c->recorded
				? "not recorded (record <span class=\"unbroken\">--cache</span>)"
			: !c->hits_known ? "this kernel cannot tell"
					 : "nothing was read");
		return;
	}
	fprintf(out, "%.1f <small>%%</small></p>", explain_pct(c->hit_pages, c->read_pages));
	fprintf(out,
		"<div class=\"parts\" aria-hidden=\"true\"><i class=\"hit\" style=\"flex:%llu\"></i>"
		"<i class=\"readahead\" style=\"flex:%llu\"></i>"
		"<i class=\"waited\" style=\"flex:%llu\"></i></div>",
		(unsigned long long)(c->hit_pages - readahead), (unsigned long long)readahead,
		(unsigned long long)c->demand_miss_pages);
	fprintf(out, "<p>%s of %s waited for</p></dd></div>\n", COUNT_TEXT(c->demand_miss_pages),
		COUNTED_TEXT(c->read_pages, "page"));
}

static void print_rate(FILE *out, const struct busiest *b)
{
	fprintf(out, ", %s/s in the busiest %s",
		COUNT_TEXT((uint64_t)(per_second(b->ios, b->window_ns) + 0.5)),
		SPOKEN_TEXT(b->window_ns));
}

static void ios_figure(FILE *out, const struct report *r, const struct totals *t)
{
	const char *why = !t->sums.all_ios		 ? "none was recorded"
			  : !r->explanation->duration_ns ? "no rates: the trace has no duration"
							 : NULL;
	const unsigned int windows[] = {WINDOW_1_S, WINDOW_10_MS};
	struct busiest b = t->bin;
	bool is_exact;
	double mean;

	begin_figure(out, "ios", "IOs");
	if (why) {
		fprintf(out, "%s</p><p>%s</p></dd></div>\n", COUNT_TEXT(t->sums.all_ios), why);
		return;
	}
	is_exact = busiest_of(r->explanation, WINDOW_10_MS, &b);
	mean = per_second(b.all_ios, r->explanation->duration_ns);
	fprintf(out, "%s</p><p>%s%s/s on average", COUNT_TEXT(t->sums.all_ios),
		b.all_ios == t->sums.all_ios ? "" : "reads and writes: ",
		COUNT_TEXT((uint64_t)(mean + 0.5)));
	if (!is_exact)
		print_rate(out, &b);
	for (unsigned int i = 0; i < 2; i++)
		if (busiest_of(r->explanation, windows[i], &b))
			print_rate(out, &b);
	fputs("</p></dd></div>\n", out);
}

/* Those of a device that are no work of an IO of a device above, unless devices were named. */
static uint64_t timed_ios(const struct explanation *x, const struct explain_device *d,
			  enum tick_op op)
{
	const struct histogram *all = d->latency_by_op[op][LATENCY_TOTAL];
	const struct histogram *linked = d->linked.latency[op][LATENCY_TOTAL];

	return (all ? all->count : 0) - (linked && !x->devices_chosen ? linked->count : 0);
}

/* Of the device with the most IOs of this kind. */
static const struct histogram *latency_of(const struct explanation *x, enum tick_op op,
					  const char **device)
{
	const struct explain_device *most = NULL;

	for (uint32_t i = 0; i < x->device_count; i++)
		if (timed_ios(x, x->devices[i], op) > (most ? timed_ios(x, most, op) : 0))
			most = x->devices[i];
	if (!most)
		return NULL;
	*device = most->info.name;
	return most->latency_by_op[op][LATENCY_TOTAL];
}

static void latency_figure(FILE *out, const struct explanation *x, const struct totals *t,
			   enum tick_op op)
{
	const char *device = "", *id = op == TICK_READ ? "reads" : "writes";
	const struct histogram *h = latency_of(x, op, &device);
	char text[UNITS_TEXT_MAX];

	begin_figure(out, id,
		     op == TICK_READ ? "Reads: p50 &middot; p99" : "Writes: p50 &middot; p99");
	if (!h) {
		fprintf(out, "-</p><p>%s</p></dd></div>\n",
			t->sums.ios[op]	  ? "no latency is known"
			: op == TICK_READ ? "no reads"
					  : "no writes");
		return;
	}
	print_value(out, explain_time(x, histogram_percentile(h, 50), text));
	fputs(" <span>&middot;</span> ", out);
	print_value(out, explain_time(x, histogram_percentile(h, 99), text));
	fprintf(out, "</p><p>p99.9 %s, ", explain_time(x, histogram_percentile(h, 99.9), text));
	fprintf(out, "slowest %s", explain_time(x, h->max, text));
	if (x->device_count > 1) {
		fputs("; ", out);
		html_text(out, device);
	}
	fputs("</p></dd></div>\n", out);
}

static void bytes_figure(FILE *out, const struct totals *t)
{
	static const char *const words[][2] = {{"read", "reads"}, {"written", "writes"}};
	bool writes = t->sums.bytes[TICK_WRITE] > t->sums.bytes[TICK_READ];
	enum tick_op more = writes ? TICK_WRITE : TICK_READ, less = writes ? TICK_READ : TICK_WRITE;

	begin_figure(out, "bytes", "Bytes");
	print_value(out, BYTES_TEXT(t->sums.bytes[more]));
	fprintf(out, " <small>%s</small></p><p>%s %s, %.0f %% of the IOs are %s</p></dd></div>\n",
		words[writes][0], BYTES_TEXT(t->sums.bytes[less]), words[!writes][0],
		explain_pct(t->sums.ios[more], t->sums.all_ios), words[writes][1]);
}

static void busy_figure(FILE *out, const struct explanation *x, const struct totals *t)
{
	const struct explain_device *most = explain_busiest_device(x);
	char at_driver[EXPLAIN_LABEL_MAX];

	fputs("<div class=\"figure\" data-figure=\"busy\"><dt>", out);
	if (most)
		html_text(out, most->info.name);
	fputs(most ? " busy</dt><dd><p class=\"value\">" : "Busy</dt><dd><p class=\"value\">", out);
	if (!most || explain_device_is_untimed(most)) {
		fprintf(out, "-</p><p>%s</p></dd></div>\n",
			t->sums.all_ios ? "no latency is known" : "no IOs");
		return;
	}
	fprintf(out, "%.1f <small>%%</small></p><p>", explain_pct(most->busy_ns, x->duration_ns));
	if (*explain_at_driver_text(most, at_driver))
		fputs(at_driver, out);
	else
		fprintf(out, "%s of %s", TIME_TEXT(most->busy_ns), TIME_TEXT(x->duration_ns));
	fputs("</p></dd></div>\n", out);
}

/* The chart or the tables that show what a finding is about. */
static const char *chart_of(const struct explanation *x, const char *id)
{
	static const struct {
		const char *id, *chart;
	} charts[] = {
		{"cache-cold", "page-cache"},
		{"cached-twice", "flow"},
		{"device-dominates", "where"},
		{"direct-io-bypass", "flow"},
		{"disagrees-with-kernel", "trust"},
		{"dropped-and-read-again", "page-cache"},
		{"evicts-others", "page-cache"},
		{"few-requests", "waits"},
		{"fsync-storm", "load"},
		{"incomplete-trace", "trust"},
		{"limited-by-cgroup", "waits-table"},
		{"limited-by-dirty-pages", "waits-table"},
		{"limited-by-wbt", "waits-table"},
		{"mostly-hits", "page-cache"},
		{"one-task-dominates", "processes"},
		{"queue-dominates", "where"},
		{"readahead-small", "flow"},
		{"readahead-wasted", "flow"},
		{"small-writes-journal", "sizes"},
		{"storage-idle", "queue"},
		{"swapping", "flow"},
		{"tail-latency", "latency"},
		{"errors", "slowest"},
		{"hung-ios", "queue"},
		{"no-space", "slowest"},
		{"path-errors", "slowest"},
		{"losses", "trust"},
		{"thrashing", "page-cache"},
		{"waits-behind-others", "waits-table"},
		{"waits-for-cpu", "waits-table"},
		{"waits-for-flush", "waits-table"},
		{"waits-for-journal", "waits-table"},
		{"waits-for-memory", "waits-table"},
		{"writeback-throttled", "page-cache"},
	};

	/* The calls that ask for the flushes are known. */
	if (x->waits.recorded && !strcmp(id, "fsync-storm"))
		return "waits-table";
	for (size_t i = 0; i < sizeof(charts) / sizeof(charts[0]); i++)
		if (!strcmp(charts[i].id, id))
			return charts[i].chart;
	return "time";
}

/* The index behind `at` of a finding of the same card; finding_count: there is none. */
static uint32_t next_of_card(const struct explanation *x, uint32_t at)
{
	const struct explain_finding *f = &x->findings[at];

	do
		at++;
	while (at < x->finding_count &&
	       (strcmp(x->findings[at].id, f->id) != 0 || x->findings[at].severity != f->severity));
	return at;
}

static bool begins_card(const struct explanation *x, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++)
		if (next_of_card(x, i) == at)
			return false;
	return true;
}

static bool has_new_device(const struct explanation *x, uint32_t first, uint32_t at)
{
	for (uint32_t i = first; i < at; i = next_of_card(x, i))
		if (!strcmp(x->findings[i].device, x->findings[at].device))
			return false;
	return true;
}

/* Of the further findings of a card: their devices, or how many they are. */
static void print_further(FILE *out, const struct explanation *x, uint32_t first)
{
	uint32_t devices = 0, further = 0;

	for (uint32_t i = next_of_card(x, first); i < x->finding_count; i = next_of_card(x, i)) {
		further++;
		if (!has_new_device(x, first, i) || ++devices > CARD_DEVICES)
			continue;
		fputs(devices == 1 ? " <small>and " : ", ", out);
		html_text(out, x->findings[i].device);
	}
	if (devices > CARD_DEVICES)
		fprintf(out, " and %u more", devices - CARD_DEVICES);
	else if (!devices && further)
		fprintf(out, " <small>and %u more", further);
	if (further)
		fputs("</small>", out);
}

/* The same advice stands once, below the last that it is for. */
static void print_one(FILE *out, const struct explanation *x, uint32_t at, bool titled)
{
	const struct explain_finding *f = &x->findings[at];
	uint32_t next = next_of_card(x, at);

	fputs("<p>", out);
	if (titled) {
		fputs("<b>", out);
		html_text(out, f->title);
		fputs("</b>: ", out);
	}
	html_text(out, f->evidence);
	fputs("</p>", out);
	if (next == x->finding_count || strcmp(x->findings[next].advice, f->advice) != 0) {
		fputs("<p class=\"advice\">", out);
		html_text(out, f->advice);
		fputs("</p>", out);
	}
	if (f->saves_ns) {
		fprintf(out, "<p>Saves at most %s, most of it of ", TIME_TEXT(f->saves_ns));
		html_text(out, f->saves_of);
		fputs(".</p>", out);
	}
}

/* Findings of the same kind about several devices or operations are one card. */
static void print_card(FILE *out, const struct explanation *x, uint32_t first, bool open)
{
	const struct explain_finding *f = &x->findings[first];
	const char *severity = explain_severity_name(f->severity);

	fprintf(out,
		"<article class=\"finding %s\" data-id=\"%s\"><details%s><summary><span class=\"severity\">%s</span><b>",
		severity, f->id, open ? " open" : "", severity);
	html_text(out, f->title);
	print_further(out, x, first);
	fputs("</b></summary>", out);
	for (uint32_t i = first; i < x->finding_count; i = next_of_card(x, i))
		print_one(out, x, i, i != first);
	fputs("</details>", out);
	fprintf(out, "<a href=\"#%s\" aria-label=\"see it: ", chart_of(x, f->id));
	html_text(out, f->title);
	fputs("\">see it</a></article>\n", out);
}

static bool is_about_trust(const struct explanation *x, const struct explain_finding *f)
{
	return !strcmp(chart_of(x, f->id), "trust");
}

static void print_findings(FILE *out, const struct explanation *x)
{
	const char *why = explain_why_no_findings(x);
	unsigned int shown = 0;

	fprintf(out, "<section id=\"findings\"><h2>Findings <small>%s</small></h2>\n",
		x->finding_count
			? "what costs most time first; each with its evidence and what to do"
			: "");
	if (!x->finding_count)
		fprintf(out, "<p class=\"empty\">%s%s.</p>\n",
			*why ? "None: " : "Nothing unusual was found", why);
	fputs("<div class=\"findings\">\n", out);
	for (int trust = 0; trust < 2; trust++)
		for (uint32_t i = 0; i < x->finding_count; i++)
			if (is_about_trust(x, &x->findings[i]) == trust && begins_card(x, i))
				print_card(out, x, i, shown++ < 2);
	fputs("</div></section>\n", out);
}

void page_answer(FILE *out, const struct report_trace *trace)
{
	const struct report *r = trace->report;
	const struct explanation *x = r->explanation;
	struct totals t = totals_of(r);

	fputs("<section id=\"answer\">\n", out);
	print_meta(out, trace);
	print_verdict(out, x);
	if (explain_says_load(x))
		print_bursts(out, r, &t);
	print_owners(out, x);
	fputs("<dl class=\"figures\">\n", out);
	cache_figure(out, x);
	ios_figure(out, r, &t);
	latency_figure(out, x, &t, TICK_READ);
	latency_figure(out, x, &t, TICK_WRITE);
	bytes_figure(out, &t);
	busy_figure(out, x, &t);
	fputs("</dl></section>\n", out);
	print_findings(out, x);
}
