/* SPDX-License-Identifier: MIT */
/* Parts of a page. Everything that comes from a trace goes through html_text(). */
#ifndef BLKREEL_RENDER_REPORT_HTML_H
#define BLKREEL_RENDER_REPORT_HTML_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/* The head of a page with the style and the policy, up to the text of its title, which is to follow. */
void html_begin_head(FILE *out);
/* The end of the title, the title of the page and its style. */
void html_end_head(FILE *out);

/* The document that the code draws; takes the reference. 0 or -ENOMEM. */
int html_data(FILE *out, json_t *document);

/* Says why there are no charts, or that they need JavaScript. */
void html_missing_charts(FILE *out);

/* The code, if there is any, and the end of the page. */
void html_end(FILE *out);

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

/* A table whose columns are `heads`, which end with NULL; those that begin with # hold numbers. */
void html_begin_table(FILE *out, const char *id, const char *caption, const char *const *heads);
void html_end_table(FILE *out);

/* The same in a card of its own, which the page's code sorts, filters and cuts to the first rows. */
void html_begin_list(FILE *out, const char *id, const char *title, const char *question,
		     const char *const *heads);
void html_end_list(FILE *out);

/* A cell with a number: how it is read, and what it is sorted by. */
void html_cell(FILE *out, const char *text, double value);

/* The same with a bar behind it, of `pct` per cent of the width. */
void html_bar_cell(FILE *out, const char *text, double value, double pct);

/* A moment after the start of the trace, to which the page's code leads. */
void html_moment_cell(FILE *out, uint64_t at_ns);

#endif
