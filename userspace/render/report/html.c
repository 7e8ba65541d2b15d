// SPDX-License-Identifier: MIT
#include "render/report/html.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "base/version.h"
#include "render/report/assets.h"
#include "render/report/report.h"

#define NAME_MAX_SHOWN 64u
#define NAME_HEAD      20u

/* Length of the UTF-8 sequence at `text`; 0: it is none. */
static size_t sequence_length(const unsigned char *text)
{
	size_t length = *text < 0x80   ? 1
			: *text < 0xc2 ? 0
			: *text < 0xe0 ? 2
			: *text < 0xf0 ? 3
			: *text < 0xf5 ? 4
				       : 0;

	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return length;
}

static void put(FILE *out, const char *text, size_t bytes)
{
	static const struct {
		char c;
		const char *text;
	} escapes[] = {
		{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};

	for (size_t i = 0; i < bytes;) {
		const unsigned char *at = (const unsigned char *)text + i;
		size_t length = sequence_length(at);
		const char *escape = NULL;

		for (size_t e = 0; e < sizeof(escapes) / sizeof(escapes[0]); e++)
			if (*at == (unsigned char)escapes[e].c)
				escape = escapes[e].text;
		if (escape)
			fputs(escape, out);
		else if (!length || i + length > bytes || (*at < 0x20 && *at != '\n') ||
			 *at == 0x7f)
			fprintf(out, "\\x%02x", *at);
		else
			fwrite(at, 1, length, out);
		i += length && i + length <= bytes ? length : 1;
	}
}

void html_text(FILE *out, const char *text)
{
	put(out, text, strlen(text));
}

static bool is_continuation(char c)
{
	return (c & 0xc0) == 0x80;
}

void html_name(FILE *out, const char *name)
{
	size_t length = strlen(name), head = NAME_HEAD, tail = NAME_MAX_SHOWN - NAME_HEAD;

	if (length <= NAME_MAX_SHOWN) {
		html_text(out, name);
		return;
	}
	while (head && is_continuation(name[head]))
		head--;
	while (tail && is_continuation(name[length - tail]))
		tail--;
	fputs("<span title=\"", out);
	html_text(out, name);
	fputs("\">", out);
	put(out, name, head);
	fputs("...", out);
	put(out, name + length - tail, tail);
	fputs("</span>", out);
}

void html_chart(FILE *out, const struct html_chart *chart)
{
	fprintf(out,
		"<section class=\"chart\" id=\"%s\" data-chart=\"%s\" aria-labelledby=\"%s-title\">\n"
		"<header><h3 id=\"%s-title\">%s</h3><p class=\"question\">",
		chart->id, chart->id, chart->id, chart->id, chart->title);
	html_text(out, chart->question);
	fputs("</p><div class=\"tools\"></div></header>\n<div class=\"plot\">", out);
	if (chart->missing)
		fprintf(out, "<p class=\"empty\">%s</p>", chart->missing);
	fputs("</div>\n</section>\n", out);
}

void html_cell(FILE *out, const char *text, double value)
{
	fprintf(out, "<td class=\"number\" data-v=\"%.17g\">", value);
	html_text(out, text);
	fputs("</td>", out);
}

void html_bar_cell(FILE *out, const char *text, double value, double pct)
{
	fprintf(out, "<td class=\"number filled\" data-v=\"%.17g\" style=\"--part:%.1f%%\">", value,
		pct);
	html_text(out, text);
	fputs("</td>", out);
}

void html_moment_cell(FILE *out, uint64_t at_ns)
{
	fprintf(out, "<td class=\"number\" data-v=\"%llu\" data-at=\"%llu\">%.6f s</td>",
		(unsigned long long)at_ns, (unsigned long long)at_ns,
		(double)at_ns / (double)NSEC_PER_SEC);
}

void html_begin_table(FILE *out, const char *id, const char *caption, const char *const *columns)
{
	fprintf(out,
		"<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
		"<table id=\"%s\"><thead><tr>",
		caption, id);
	for (; *columns; columns++)
		fprintf(out, "<th scope=\"col\"%s>%s</th>",
			**columns == '#' ? " class=\"number\"" : "", *columns + (**columns == '#'));
	fputs("</tr></thead><tbody>\n", out);
}

void html_end_table(FILE *out)
{
	fputs("</tbody></table></div>\n", out);
}

void html_begin_list(FILE *out, const char *id, const char *title, const char *question,
		     const char *const *columns)
{
	fprintf(out,
		"<div class=\"card list\"><header><h3>%s</h3><p class=\"question\">%s</p>"
		"<div class=\"tools\"></div></header>\n",
		title, question);
	html_begin_table(out, id, title, columns);
}

void html_end_list(FILE *out)
{
	html_end_table(out);
	fputs("</div>\n", out);
}

/* The frame ----------------------------------------------------------------------------------- */

void html_begin_head(FILE *out)
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
}

void html_end_head(FILE *out)
{
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n", report_page_css);
}

/* No "<" stands in the data, so nothing in it can end the element. */
int html_data(FILE *out, json_t *document)
{
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

void html_missing_charts(FILE *out)
{
	if (report_charts_missing())
		fprintf(out, "<p class=\"note\">This page has no charts: %s.</p>\n",
			report_charts_missing());
	else
		fputs("<noscript><p class=\"note\">The charts need JavaScript.</p></noscript>\n",
		      out);
}

void html_end(FILE *out)
{
	if (!report_charts_missing())
		fprintf(out, "<script>%s</script>\n", report_page_js);
	fputs("</body>\n</html>\n", out);
}
