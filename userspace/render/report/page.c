// SPDX-License-Identifier: MIT
/* The frame of a page: head, navigation, sections, data and code. */
#include "render/report/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "render/report/assets.h"
#include "render/report/html.h"

struct section {
	const char *id, *title;
};

static const struct section sections_of_one[] = {
	{"answer", "Answer"},	{"findings", "Findings"}, {"time", "Over time"},
	{"ios", "IOs"},		{"cache", "Cache"},	  {"who", "Who"},
	{"slowest", "Slowest"}, {"trust", "Trust"},	  {NULL, NULL},
};

static const struct section sections_of_many[] = {
	{"answer", "Answer"},  {"change", "Faster or slower"}, {"same", "Same workload?"},
	{"time", "Over time"}, {"sizes-section", "Sizes"},     {NULL, NULL},
};

const char *page_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void print_head(FILE *out, const struct report_trace *traces, unsigned int count)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n", out);
	fprintf(out,
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"style-src 'unsafe-inline'; script-src %s%s%s; img-src data:; base-uri 'none'; "
		"form-action 'none'\">\n",
		*report_page_hash ? "'" : "'none", *report_page_hash ? report_page_hash : "", "'");
	fprintf(out, "<meta name=\"generator\" content=\"blkreel %s\">\n", BLKREEL_VERSION);
	fputs("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta name=\"color-scheme\" content=\"light dark\">\n"
	      "<meta name=\"referrer\" content=\"no-referrer\">\n<title>",
	      out);
	for (unsigned int i = 0; i < count; i++) {
		fputs(i ? " against " : "", out);
		html_text(out, page_file_name(traces[i].path));
	}
	fprintf(out, " - blkreel report</title>\n<style>\n%s</style>\n</head>\n", report_page_css);
}

static void print_bar(FILE *out, const struct section *sections)
{
	fputs("<body>\n<header class=\"bar\"><p class=\"brand\"><b>blkreel</b> report</p>\n"
	      "<nav aria-label=\"Sections\">",
	      out);
	for (; sections->id; sections++)
		fprintf(out, "<a href=\"#%s\">%s</a>", sections->id, sections->title);
	fputs("</nav>\n<div class=\"state\"></div></header>\n<main>\n", out);
}

/* No "<" stands in the data, so nothing in it can end the element. */
static int print_data(FILE *out, const struct report_trace *traces, unsigned int count)
{
	json_t *document = report_json(traces, count);
	char *text = document ? json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;

	json_decref(document);
	if (!text)
		return -ENOMEM;
	fputs("<script type=\"application/json\" id=\"data\">", out);
	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "<");

		fwrite(at, 1, length, out);
		at += length;
		if (*at == '<') {
			fputs("\\u003c", out);
			at++;
		}
	}
	fputs("</script>\n", out);
	free(text);
	return 0;
}

static void print_missing_charts(FILE *out)
{
	if (report_charts_missing())
		fprintf(out, "<p class=\"note\">This page has no charts: %s.</p>\n",
			report_charts_missing());
	else
		fputs("<noscript><p class=\"note\">The charts need JavaScript.</p></noscript>\n",
		      out);
}

static void print_foot(FILE *out, const struct report_trace *traces, unsigned int count)
{
	fputs("<footer><p>The same as text: <code>blkreel ", out);
	fputs(count > 1 ? "compare" : "explain", out);
	for (unsigned int i = 0; i < count && i < 2; i++) {
		fputc(' ', out);
		html_text(out, page_file_name(traces[i].path));
	}
	fputs("</code> &middot; as JSON: <code>blkreel report --json", out);
	for (unsigned int i = 0; i < count; i++) {
		fputc(' ', out);
		html_text(out, page_file_name(traces[i].path));
	}
	fputs("</code> &middot; the rows: <code>blkreel dump", out);
	fputs(" <span class=\"range\"></span>", out);
	html_text(out, page_file_name(traces[0].path));
	fputs("</code></p></footer>\n", out);
}

int report_print_html(FILE *out, const struct report_trace *traces, unsigned int count)
{
	int err;

	print_head(out, traces, count);
	print_bar(out, count > 1 ? sections_of_many : sections_of_one);
	if (count > 1) {
		page_comparison(out, traces, count);
		print_missing_charts(out);
		page_side_by_side(out, traces, count);
	} else {
		page_answer(out, traces);
		print_missing_charts(out);
		page_over_time(out, traces);
		page_figures(out, traces);
		page_tables(out, traces);
	}
	print_foot(out, traces, count);
	fputs("</main>\n", out);
	err = print_data(out, traces, count);
	if (!err && !report_charts_missing())
		fprintf(out, "<script>%s</script>\n", report_page_js);
	fputs("</body>\n</html>\n", out);
	if (err)
		return err;
	return fflush(out) || ferror(out) ? -EIO : 0;
}
