/* SPDX-License-Identifier: MIT */
/* Parts of a page. Everything that comes from a trace goes through html_text(). */
#ifndef BLKREEL_RENDER_REPORT_HTML_H
#define BLKREEL_RENDER_REPORT_HTML_H

#include <stdint.h>
#include <stdio.h>

/* Writes text so that it is nothing but text, also inside an attribute; other bytes than UTF-8 as \xNN. */
void html_text(FILE *out, const char *text);

/* The same of a long name, with its middle left out. */
void html_name(FILE *out, const char *name);

/* A chart that the page's code draws; with `missing` a sentence stands in its place. */
struct html_chart {
	const char *id, *title, *question;
	const char *missing; /* NULL: it is drawn */
};
void html_chart(FILE *out, const struct html_chart *chart);

/* A cell with a number: how it is read, and what it is sorted by. */
void html_cell(FILE *out, const char *text, double value);

/* The same with a bar behind it, of `pct` per cent of the width. */
void html_bar_cell(FILE *out, const char *text, double value, double pct);

#endif
