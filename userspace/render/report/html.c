// SPDX-License-Identifier: MIT
#include "render/report/html.h"

#include <stdbool.h>
#include <string.h>

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
		"<header><h3 id=\"%s-title\">%s</h3><p class=\"question\">%s</p>"
		"<div class=\"tools\"></div></header>\n<div class=\"plot\">",
		chart->id, chart->id, chart->id, chart->id, chart->title, chart->question);
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
