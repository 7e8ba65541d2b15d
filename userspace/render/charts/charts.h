/* SPDX-License-Identifier: MIT */
/* Charts of characters: lines of glyphs for a terminal. A column is one character. */
#ifndef BLKREEL_RENDER_CHARTS_CHARTS_H
#define BLKREEL_RENDER_CHARTS_CHARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define CHART_LABEL	  10u /* columns before the chart in each line */
#define CHART_WIDTH_MIN	  40u
#define CHART_WIDTH_MAX	  200u
#define CHART_COLUMNS_MAX (CHART_WIDTH_MAX - CHART_LABEL)

struct chart_style {
	unsigned int width; /* of a line: CHART_WIDTH_MIN to CHART_WIDTH_MAX */
	bool utf8, color;
};

/* The style for a terminal; false: `out` is none. */
bool chart_style_of(FILE *out, struct chart_style *style);

/* The same of a known width. */
struct chart_style chart_style_of_width(unsigned int width);

/* The columns of a chart; the last column of the terminal stays free. */
unsigned int chart_columns(const struct chart_style *style);

/* Colours of lines. */
enum chart_hue {
	CHART_PLAIN,
	CHART_READ,
	CHART_WRITE,
	CHART_OTHER
};

/*
 * One line: `label`, then a glyph for each value: the height from 0 to `most`, a blank for 0 only.
 */
void chart_line(FILE *out, const struct chart_style *style, const char *label, enum chart_hue hue,
		const double *values, unsigned int count, double most);

/*
 * Counts of IOs by latency: row n of a column begins at 2^(n / octave_rows) ns. `cells` is column by
 * column.
 */
struct chart_latencies {
	const uint32_t *cells;
	unsigned int columns, rows, octave_rows;
};

/*
 * Draws them in at most `lines_max` lines, the largest latency first; the label is where the line
 * begins. Several rows are one line if they must be. Returns the number of lines; 0: there is no IO.
 */
unsigned int chart_latencies(FILE *out, const struct chart_style *style,
			     const struct chart_latencies *latencies, unsigned int lines_max);

/* The axis of time below `columns` columns: "0" at the left, the end at the right. */
void chart_time_axis(FILE *out, const char *begin, const char *end, unsigned int columns);

#endif
