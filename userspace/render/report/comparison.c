// SPDX-License-Identifier: MIT
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "compare/comparison.h"
#include "render/compare/pair.h"
#include "render/json.h"
#include "render/report/html.h"
#include "render/report/page.h"

#define MISSING_RATIO_MAX 64

json_t *report_comparison_json(const struct report_trace *trace, const char *first_path)
{
	const struct compare_names names = {
		first_path, trace->first_device, trace->path, trace->device, "", ""};
	json_t *object;

	if (!trace->comparison)
		return json_null();
	object = render_compare_document(trace->comparison, &names, json_array());
	json_object_del(object, "schema");
	return object;
}

json_t *report_figures_json(void)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < FIGURE_COUNT; i++) {
		const struct figure_info *info = figure_info(i);
		json_t *object = json_object();

		json_set_text(object, "name", info->name);
		json_set_text(object, "label", info->label);
		json_set_real(object, "limit", info->same);
		json_set_bool(object, "is_ratio", info->is_ratio);
		json_array_append_new(list, object);
	}
	return list;
}

static void print_names(FILE *out, const struct report_trace *traces, unsigned int count)
{
	fputs("<p class=\"meta\">", out);
	for (unsigned int i = 0; i < count; i++) {
		fprintf(out, "<span><b class=\"letter letter-%u\">%c</b> ", i, 'A' + (int)i);
		html_text(out, page_file_name(traces[i].path));
		if (*traces[i].device) {
			fputs(", ", out);
			html_text(out, traces[i].device);
		}
		fputs("</span>", out);
	}
	fputs("</p>\n", out);
}

static unsigned int differences(const struct comparison *c)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < FIGURE_COUNT; i++)
		count += c->differs[i];
	return count;
}

static unsigned int known_figures(const struct comparison *c)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < FIGURE_COUNT; i++)
		count += !isnan(c->figures[i]);
	return count;
}

static void print_badge(FILE *out, const struct comparison *c)
{
	if (c->no_verdict)
		fputs("<p><span class=\"badge warning\">no verdict</span></p>", out);
	else if (differences(c))
		fprintf(out,
			"<p><span class=\"badge warning\">not the same workload: differs in %u of %u "
			"figures</span></p>",
			differences(c), known_figures(c));
	else
		fprintf(out,
			"<p><span class=\"badge good\">the same workload: %u figures within their "
			"limits</span></p>",
			known_figures(c));
}

/* As judge says that B is slower or faster. */
static bool is_on_speed(const char *sentence, const char *end)
{
	static const char *const parts[] = {" slower in B", " faster in B", ": in B the median is"};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const char *part = strstr(sentence, parts[i]);

		if (part && (!end || part < end))
			return true;
	}
	return false;
}

/* The first sentence on speed is the headline, if there is one; the others come below. */
static void print_summary(FILE *out, const struct comparison *c)
{
	char *text = strdup(c->summary), *headline = NULL, *at = text;

	while (at && *at && !headline) {
		char *end = strstr(at, ". ");

		if (is_on_speed(at, end))
			headline = at;
		at = end ? end + 2 : NULL;
	}
	headline = headline ? headline : text;
	if (!text)
		return;
	fputs("<h1>", out);
	at = strstr(headline, ". ");
	if (at)
		at[1] = '\0';
	html_text(out, headline);
	fputs("</h1>\n<p class=\"rest\">", out);
	if (headline > text) {
		headline[-1] = '\0';
		html_text(out, text);
		fputc(' ', out);
	}
	if (at)
		html_text(out, at + 2);
	fputs("</p>\n", out);
	free(text);
}

/* "B has no reads": why latencies of A and B have no ratio. */
static void say_missing(const struct comparison *c, enum io_op op, char text[MISSING_RATIO_MAX])
{
	const struct latency_comparison *l = op == IO_OP_READ ? &c->read : &c->write;
	bool a_lacks = !c->a->op_ios[op], b_lacks = !c->b->op_ios[op], ios = a_lacks || b_lacks;
	const char *noun = op == IO_OP_READ ? "reads" : "writes";

	if (!ios) {
		a_lacks = !l->a[LATENCY_TOTAL].count;
		b_lacks = !l->b[LATENCY_TOTAL].count;
	}
	snprintf(text, MISSING_RATIO_MAX, "%s no %s%s%s",
		 a_lacks && b_lacks ? "A and B have"
		 : b_lacks	    ? "B has"
				    : "A has",
		 ios ? "" : "known latency of ", noun, ios || a_lacks || b_lacks ? "" : " above 0");
}

static void print_ratio(FILE *out, const char *title, double ratio, uint64_t a_ns, uint64_t b_ns,
			const char *missing)
{
	bool same = ratio < SAME_LATENCY_RATIO && ratio > 1 / SAME_LATENCY_RATIO;

	fprintf(out, "<div class=\"figure\"><dt>%s</dt><dd>", title);
	if (isnan(ratio)) {
		fprintf(out, "<p class=\"value\">-</p><p>%s</p></dd></div>\n", missing);
		return;
	}
	fprintf(out, "<p class=\"value %s\">&times;%.2f <small>%s</small></p>",
		same	    ? "same"
		: ratio > 1 ? "slower"
			    : "faster",
		ratio,
		same	    ? "same"
		: ratio > 1 ? "slower"
			    : "faster");
	fprintf(out, "<p>%s &rarr; %s</p></dd></div>\n", TIME_TEXT(a_ns), TIME_TEXT(b_ns));
}

static void print_ratios(FILE *out, const struct comparison *c, enum io_op op)
{
	const struct latency_comparison *l = op == IO_OP_READ ? &c->read : &c->write;
	const char *name = op == IO_OP_READ ? "Read" : "Write";
	const struct distribution *a = &l->a[LATENCY_TOTAL], *b = &l->b[LATENCY_TOTAL];
	const struct latency_ratio *ratio = &l->ratio[LATENCY_TOTAL];
	char title[64], missing[MISSING_RATIO_MAX];

	say_missing(c, op, missing);
	snprintf(title, sizeof(title), "%s mean", name);
	print_ratio(out, title, ratio->mean, (uint64_t)a->mean, (uint64_t)b->mean, missing);
	snprintf(title, sizeof(title), "%s p99", name);
	print_ratio(out, title, ratio->p99, a->p99, b->p99, missing);
	snprintf(title, sizeof(title), "%s p99.9", name);
	print_ratio(out, title, ratio->p99_9, a->p99_9, b->p99_9, missing);
}

static void change_cell(FILE *out, double ratio, uint64_t time_ns)
{
	char text[2 * UNITS_TEXT_MAX];

	if (isnan(ratio))
		snprintf(text, sizeof(text), "-");
	else
		snprintf(text, sizeof(text), "%s (x%.2f)", TIME_TEXT(time_ns), ratio);
	html_cell(out, text, ratio);
}

/* One row a trace; the first is the base. */
static void print_base(FILE *out, const struct report_trace *traces, unsigned int count)
{
	const struct comparison *c = traces[1].comparison;

	fputs("<div class=\"card\"><div class=\"scroll\" tabindex=\"0\" role=\"region\" "
	      "aria-label=\"All traces\"><table id=\"base\"><thead><tr><th scope=\"col\">trace</th>"
	      "<th scope=\"col\">same workload?</th><th scope=\"col\" class=\"number\">IOs</th>"
	      "<th scope=\"col\" class=\"number\">reads p50</th><th scope=\"col\" class=\"number\">reads p99</th>"
	      "<th scope=\"col\" class=\"number\">writes p50</th><th scope=\"col\" class=\"number\">writes p99</th>"
	      "</tr></thead><tbody>\n",
	      out);
	for (unsigned int i = 0; i < count; i++) {
		const struct distribution *read, *write;
		const struct latency_ratio one = {1, 1, 1, 1, 1, 1}, *r = &one, *w = &one;

		c = i ? traces[i].comparison : traces[1].comparison;
		read = i ? c->read.b : c->read.a;
		write = i ? c->write.b : c->write.a;
		if (i) {
			r = &c->read.ratio[LATENCY_TOTAL];
			w = &c->write.ratio[LATENCY_TOTAL];
		}
		fprintf(out, "<tr><th scope=\"row\">%c ", 'A' + (int)i);
		html_name(out, page_file_name(traces[i].path));
		fprintf(out, "</th><td>%s</td>",
			!i		   ? "the base"
			: c->no_verdict	   ? "no verdict"
			: c->same_workload ? "yes"
					   : "no");
		html_cell(out, COUNT_TEXT(i ? c->b->ios : c->a->ios),
			  (double)(i ? c->b->ios : c->a->ios));
		change_cell(out, read->count ? r->p50 : NAN, read->p50);
		change_cell(out, read->count ? r->p99 : NAN, read->p99);
		change_cell(out, write->count ? w->p50 : NAN, write->p50);
		change_cell(out, write->count ? w->p99 : NAN, write->p99);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table></div></div>\n", out);
	for (unsigned int i = 1; i < count; i++) {
		char summary[COMPARISON_SUMMARY_MAX];

		fprintf(out, "<p class=\"rest\"><b class=\"letter letter-%u\">%c</b> ", i,
			'A' + (int)i);
		html_name(out, page_file_name(traces[i].path));
		fputs(": ", out);
		comparison_summary_of(traces[i].comparison->summary, (char)('A' + (int)i), summary);
		html_text(out, summary);
		fputs("</p>\n", out);
	}
}

enum likeness {
	SAME_WORKLOAD,
	ANOTHER_WORKLOAD,
	NO_VERDICT
};

static enum likeness likeness_of(const struct comparison *c)
{
	return c->no_verdict ? NO_VERDICT : c->same_workload ? SAME_WORKLOAD : ANOTHER_WORKLOAD;
}

/* "B and D": the letters of the traces with this likeness; returns their number. */
static unsigned int list_letters(const struct report_trace *traces, unsigned int count,
				 enum likeness likeness, char *text, size_t size)
{
	unsigned int found = 0, last = 0;

	*text = '\0';
	for (unsigned int i = 1; i < count; i++)
		if (likeness_of(traces[i].comparison) == likeness)
			last = i;
	for (unsigned int i = 1; i <= last; i++) {
		size_t used = strlen(text);

		if (likeness_of(traces[i].comparison) != likeness)
			continue;
		snprintf(text + used, size - used, "%s%c",
			 !found	     ? ""
			 : i == last ? " and "
				     : ", ",
			 'A' + (int)i);
		found++;
	}
	return found;
}

/* "B is the same workload as A; C and D are not." */
static void print_headline(FILE *out, const struct report_trace *traces, unsigned int count)
{
	static const char *const one[] = {"is the same workload as A", "is another workload",
					  "has no verdict"};
	static const char *const several[] = {"are the same workload as A", "are other workloads",
					      "have no verdict"};
	bool first = true;

	fputs("<h1>", out);
	for (enum likeness l = SAME_WORKLOAD; l <= NO_VERDICT; l++) {
		char letters[64];
		unsigned int found = list_letters(traces, count, l, letters, sizeof(letters));

		if (found)
			fprintf(out, "%s%s %s", first ? "" : "; ", letters,
				found == 1 ? one[l] : several[l]);
		first &= !found;
	}
	fputs(".</h1>\n", out);
}

static bool has_ratio(const struct comparison *c, enum io_op op)
{
	return !isnan((op == IO_OP_READ ? &c->read : &c->write)->ratio[LATENCY_TOTAL].mean);
}

/* NULL: the charts of reads or writes have something to draw. */
static const char *why_not_drawn(const struct report_trace *traces, unsigned int count,
				 enum io_op op, char text[MISSING_RATIO_MAX + 1])
{
	for (unsigned int i = 1; i < count; i++)
		if (has_ratio(traces[i].comparison, op))
			return NULL;
	if (count > 2)
		snprintf(text, MISSING_RATIO_MAX,
			 "Needs %s with a known latency in A and another trace",
			 op == IO_OP_READ ? "reads" : "writes");
	else
		say_missing(traces[1].comparison, op, text);
	return strcat(text, ".");
}

static void print_change(FILE *out, const struct report_trace *traces, unsigned int count)
{
	char reads[MISSING_RATIO_MAX + 1], writes[MISSING_RATIO_MAX + 1]; /* a period */
	const char *no_reads = why_not_drawn(traces, count, IO_OP_READ, reads);
	const char *no_writes = why_not_drawn(traces, count, IO_OP_WRITE, writes);
	const struct html_chart charts[] = {
		{"ratios-read", count > 2 ? "Reads, each / A" : "Reads, B / A",
		 "Does all of the distribution move, or only its tail?", no_reads},
		{"ratios-write", count > 2 ? "Writes, each / A" : "Writes, B / A",
		 "Does all of the distribution move, or only its tail?", no_writes},
		{"curves-read", "Read percentiles", "Where do the curves cross?", no_reads},
		{"curves-write", "Write percentiles", "Where do the curves cross?", no_writes},
	};

	fputs("<section id=\"change\"><h2>Faster or slower, and where? <small>on a log scale; right of "
	      "the line is slower</small></h2>\n<div class=\"columns\">\n",
	      out);
	for (size_t i = 0; i < sizeof(charts) / sizeof(charts[0]); i++) {
		fputs("<div class=\"card\">", out);
		html_chart(out, &charts[i]);
		fputs("</div>\n", out);
	}
	fputs("</div></section>\n", out);
}

static void print_workload(FILE *out, const struct report_trace *traces, unsigned int count)
{
	fputs("<section id=\"same\"><h2>Is it the same workload? <small>only then do the ratios speak of "
	      "the device; the band is the limit</small></h2>\n",
	      out);
	for (unsigned int i = 1; i < count; i++) {
		const struct comparison *c = traces[i].comparison;
		char text[UNITS_TEXT_MAX];

		fprintf(out,
			"<div class=\"card\"><section class=\"chart\" id=\"workload-%u\" "
			"data-chart=\"workload\" data-trace=\"%u\" aria-labelledby=\"workload-%u-title\">"
			"<header><h3 id=\"workload-%u-title\">%c against A</h3><p class=\"question\">",
			i, i, i, i, 'A' + (int)i);
		html_text(out, page_file_name(traces[i].path));
		fputs("</p><div class=\"tools\"></div></header><div class=\"plot\"></div></section>\n"
		      "<details class=\"numbers\"><summary>As a table</summary><div class=\"scroll\" "
		      "tabindex=\"0\" role=\"region\" aria-label=\"Workload figures\"><table><thead><tr>"
		      "<th scope=\"col\">figure</th><th scope=\"col\" class=\"number\">A</th>",
		      out);
		fprintf(out, "<th scope=\"col\" class=\"number\">%c</th>", 'A' + (int)i);
		fputs("<th scope=\"col\" class=\"number\">change</th><th scope=\"col\"></th></tr></thead><tbody>\n",
		      out);
		for (unsigned int f = 0; f < FIGURE_COUNT; f++) {
			fprintf(out, "<tr><th scope=\"row\">%s</th>", figure_info(f)->label);
			render_figure_text(c->a, f, text);
			fprintf(out, "<td class=\"number\">%s</td>", text);
			render_figure_text(c->b, f, text);
			fprintf(out, "<td class=\"number\">%s</td>", text);
			render_change_text(f, c->figures[f], text);
			fprintf(out, "<td class=\"number\">%s</td><td>%s</td></tr>\n", text,
				c->differs[f] ? "differs" : "");
		}
		fputs("</tbody></table></div></details></div>\n", out);
	}
	fputs("</section>\n", out);
}

void page_comparison(FILE *out, const struct report_trace *traces, unsigned int count)
{
	const struct comparison *c = traces[1].comparison;

	fputs("<section id=\"answer\">\n", out);
	print_names(out, traces, count);
	if (count == 2) {
		print_badge(out, c);
		print_summary(out, c);
		fputs("<dl class=\"figures\">\n", out);
		print_ratios(out, c, IO_OP_READ);
		print_ratios(out, c, IO_OP_WRITE);
		fputs("</dl>", out);
	} else {
		print_headline(out, traces, count);
		print_base(out, traces, count);
	}
	fputs("</section>\n", out);
	print_change(out, traces, count);
	print_workload(out, traces, count);
}
