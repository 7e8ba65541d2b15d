/* SPDX-License-Identifier: MIT */
/* An interval of top as text for people, or as one line of JSON. */
#ifndef BLKREEL_RENDER_TOP_TOP_H
#define BLKREEL_RENDER_TOP_TOP_H

#include <stdio.h>

#include "top/list.h"

struct top_style {
	unsigned int width; /* columns of a line; 0: as many as there are */
	struct top_choice of;
};

/* Figures that are not there, and why. */
struct top_missing {
	const struct live_missing *figures;
	unsigned int count;
};

#define TOP_LINE_MAX 2048 /* bytes */

/* Each makes one line of at most style->width columns, without an end of line, and returns `line`. */

/* "12:03:20  1,234 IOs, 4.9 MiB in 1.00 s; the kernel counted as many; nothing lost" */
const char *top_text_summary(const struct top_style *style, const struct activity_sample *sample,
			     char line[TOP_LINE_MAX]);
/* The names of the columns. `sorted` (may be NULL) receives where the sorted one begins and ends. */
struct top_span {
	unsigned int from, to;
};
const char *top_text_header(const struct top_style *style, bool has_cache, struct top_span *sorted,
			    char line[TOP_LINE_MAX]);
const char *top_text_row(const struct top_style *style, const struct activity_sample *sample,
			 const struct top_row *row, char line[TOP_LINE_MAX]);
/* The row of what is in no other: "9 others"; "" when there are none. */
const char *top_text_other(const struct top_style *style, const struct activity_sample *sample,
			   const struct top_list *list, char line[TOP_LINE_MAX]);

/* All of it, with what was lost. 0 or -EIO. */
int top_text(FILE *out, const struct top_style *style, const struct activity_sample *sample,
	     const struct top_list *list, const struct top_missing *missing);

/* One line of JSON, schema blkreel.top/1. 0 or negative errno. */
int top_json(FILE *out, const struct top_style *style, const struct activity_sample *sample,
	     const struct top_list *list, const struct top_missing *missing);

#endif
