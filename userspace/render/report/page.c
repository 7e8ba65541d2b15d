// SPDX-License-Identifier: MIT
/* The frame of a page: head, navigation, sections, data and code. */
#include "render/report/page.h"

#include <errno.h>
#include <string.h>

#include "render/report/html.h"
#include "report/report.h"

/* The page's code writes the options of the part that is shown into it, with a blank at the end. */
#define RANGE " <span class=\"range\"></span>"

struct section {
	const char *id, *title;
	bool of_waits; /* only there if waits were recorded */
};

static const struct section sections_of_one[] = {
	{.id = "answer", .title = "Answer"},
	{.id = "findings", .title = "Findings"},
	{.id = "time", .title = "Over time"},
	{.id = "ios", .title = "IOs"},
	{.id = "cache", .title = "Cache"},
	{.id = "waits-table", .title = "Waits", .of_waits = true},
	{.id = "who", .title = "Who"},
	{.id = "slowest", .title = "Slowest"},
	{.id = "trust", .title = "Trust"},
	{.id = NULL},
};

static const struct section sections_of_many[] = {
	{.id = "answer", .title = "Answer"},	   {.id = "change", .title = "Faster or slower"},
	{.id = "same", .title = "Same workload?"}, {.id = "time", .title = "Over time"},
	{.id = "sizes-section", .title = "Sizes"}, {.id = NULL},
};

const char *page_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void print_head(FILE *out, const struct report_trace *traces, unsigned int count)
{
	html_begin_head(out);
	for (unsigned int i = 0; i < count; i++) {
		fputs(i ? " against " : "", out);
		html_text(out, page_file_name(traces[i].path));
	}
	fputs(" - blkreel report", out);
	html_end_head(out);
}

static void print_bar(FILE *out, const struct section *sections, bool has_waits)
{
	fputs("<body>\n<header class=\"bar\"><p class=\"brand\"><b>blkreel</b> report</p>\n"
	      "<nav aria-label=\"Sections\">",
	      out);
	for (; sections->id; sections++)
		if (has_waits || !sections->of_waits)
			fprintf(out, "<a href=\"#%s\">%s</a>", sections->id, sections->title);
	fputs("</nav>\n<div class=\"state\"></div></header>\n<main>\n", out);
}

static void print_option(FILE *out, const char *option, const char *name)
{
	fprintf(out, " %s ", option);
	html_text(out, name);
}

static void print_chosen(FILE *out, const struct report_trace *trace)
{
	for (unsigned int i = 0; i < trace->chosen_count; i++)
		print_option(out, "-d", trace->chosen_devices[i]);
}

static void print_foot(FILE *out, const struct report_trace *traces, unsigned int count)
{
	fputs("<footer><p>The same as text: <code>blkreel ", out);
	fputs(count > 1 ? "compare" : "explain", out);
	if (count == 1) {
		print_chosen(out, traces);
		fputs(RANGE, out);
	} else if (traces->chosen_count) {
		print_option(out, "--device-a", traces[1].first_device);
		print_option(out, "--device-b", traces[1].device);
	}
	for (unsigned int i = 0; i < count; i++) {
		fputs(count > 1 ? " " : "", out);
		html_text(out, page_file_name(traces[i].path));
	}
	fputs("</code> &middot; as JSON: <code>blkreel report --json", out);
	print_chosen(out, traces);
	for (unsigned int i = 0; i < count; i++) {
		fputc(' ', out);
		html_text(out, page_file_name(traces[i].path));
	}
	fputs("</code> &middot; the rows: <code>blkreel dump", out);
	print_chosen(out, traces);
	fputs(RANGE, out);
	html_text(out, page_file_name(traces[0].path));
	fputs("</code></p></footer>\n", out);
}

int report_print_html(FILE *out, const struct report_trace *traces, unsigned int count)
{
	int err;

	print_head(out, traces, count);
	print_bar(out, count > 1 ? sections_of_many : sections_of_one,
		  traces->report->explanation->waits.recorded);
	if (count > 1) {
		page_comparison(out, traces, count);
		html_missing_charts(out);
		page_side_by_side(out, traces, count);
	} else {
		page_answer(out, traces);
		html_missing_charts(out);
		page_over_time(out, traces);
		page_figures(out, traces);
		page_waits(out, traces);
		page_tables(out, traces);
	}
	print_foot(out, traces, count);
	fputs("</main>\n", out);
	err = html_data(out, report_json(traces, count));
	if (err)
		return err;
	html_end(out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}
