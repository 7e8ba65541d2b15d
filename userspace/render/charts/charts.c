// SPDX-License-Identifier: MIT
#include "render/charts/charts.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

/* The first glyph stands for nothing, the second for anything, however little. */
static const char *const heights[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const shades[] = {" ", "·", "░", "▒", "▓", "█"};
static const char *const plain[] = {" ", ".", ":", "-", "=", "+", "*", "#"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const hues[] = {
	[CHART_PLAIN] = "",
	[CHART_READ] = "\033[34m",
	[CHART_WRITE] = "\033[33m",
	[CHART_OTHER] = "\033[35m",
};

unsigned int chart_columns(const struct chart_style *style)
{
	return style->width - CHART_LABEL - 1;
}

static const char *height_of(const struct chart_style *style, double value, double most)
{
	const char *const *glyphs = style->utf8 ? heights : plain;
	unsigned int highest = (style->utf8 ? COUNT(heights) : COUNT(plain)) - 1;

	if (!(value > 0) || !(most > 0))
		return glyphs[0];
	return glyphs[value < most ? (unsigned int)ceil(value / most * highest) : highest];
}

/* On a log scale, so that one IO is seen beside thousands. */
static const char *shade_of(const struct chart_style *style, uint64_t count, uint64_t most)
{
	const char *const *glyphs = style->utf8 ? shades : plain;
	unsigned int levels = style->utf8 ? COUNT(shades) : COUNT(plain);

	if (!count)
		return glyphs[0];
	/* The darkest only for what is near the most. */
	return glyphs[1 +
		      (unsigned int)((levels - 2) * log1p((double)count) / log1p((double)most))];
}

/* Without blanks at the end. */
static void put_glyphs(FILE *out, const char *const *glyphs, unsigned int count)
{
	while (count && *glyphs[count - 1] == ' ')
		count--;
	for (unsigned int i = 0; i < count; i++)
		fputs(glyphs[i], out);
}

void chart_line(FILE *out, const struct chart_style *style, const char *label, enum chart_hue hue,
		const double *values, unsigned int count, double most)
{
	const char *glyphs[CHART_COLUMNS_MAX];
	const char *begin = style->color ? hues[hue] : "";

	if (count > CHART_COLUMNS_MAX)
		count = CHART_COLUMNS_MAX;
	for (unsigned int i = 0; i < count; i++)
		glyphs[i] = height_of(style, values[i], most);
	fprintf(out, "%*.*s %s", (int)CHART_LABEL - 1, (int)CHART_LABEL - 1, label, begin);
	put_glyphs(out, glyphs, count);
	fprintf(out, "%s\n", *begin ? "\033[0m" : "");
}

static uint64_t sum_of(const struct chart_latencies *l, unsigned int column, unsigned int from,
		       unsigned int count)
{
	uint64_t sum = 0;

	for (unsigned int row = from; row < from + count && row < l->rows; row++)
		sum += l->cells[(size_t)column * l->rows + row];
	return sum;
}

/* The rows that have IOs. False: none. */
static bool find_range(const struct chart_latencies *l, unsigned int *lowest, unsigned int *highest)
{
	*lowest = l->rows;
	*highest = 0;
	for (unsigned int row = 0; row < l->rows; row++)
		for (unsigned int column = 0; column < l->columns; column++)
			if (l->cells[(size_t)column * l->rows + row]) {
				*lowest = row < *lowest ? row : *lowest;
				*highest = row;
			}
	return *lowest < l->rows;
}

/* Rows a line: parts of an octave, then whole ones. */
static unsigned int rows_of_line(const struct chart_latencies *l, unsigned int lowest,
				 unsigned int highest, unsigned int lines_max)
{
	unsigned int step = 1;

	while (highest / step - lowest / step + 1 > lines_max)
		step += step < l->octave_rows ? step : l->octave_rows;
	return step;
}

unsigned int chart_latencies(FILE *out, const struct chart_style *style,
			     const struct chart_latencies *l, unsigned int lines_max)
{
	unsigned int lowest, highest, step, columns = l->columns;
	const char *glyphs[CHART_COLUMNS_MAX];
	uint64_t most = 0;

	if (!lines_max || !find_range(l, &lowest, &highest))
		return 0;
	if (columns > CHART_COLUMNS_MAX)
		columns = CHART_COLUMNS_MAX;
	step = rows_of_line(l, lowest, highest, lines_max);
	lowest /= step;
	highest /= step;
	for (unsigned int line = lowest; line <= highest; line++)
		for (unsigned int column = 0; column < columns; column++) {
			uint64_t sum = sum_of(l, column, line * step, step);

			most = sum > most ? sum : most;
		}
	for (unsigned int line = highest + 1; line-- > lowest;) {
		double begin_ns = exp2((double)(line * step) / l->octave_rows);

		for (unsigned int column = 0; column < columns; column++)
			glyphs[column] =
				shade_of(style, sum_of(l, column, line * step, step), most);
		fprintf(out, "%*s ", (int)CHART_LABEL - 1, TIME_TEXT((uint64_t)begin_ns));
		put_glyphs(out, glyphs, columns);
		fputc('\n', out);
	}
	return highest - lowest + 1;
}

void chart_time_axis(FILE *out, const char *begin, const char *end, unsigned int columns)
{
	int left = (int)strlen(begin), room = (int)columns - left;

	fprintf(out, "%*s%s", (int)CHART_LABEL, "", begin);
	if ((int)strlen(end) < room)
		fprintf(out, "%*s", room, end);
	fputc('\n', out);
}
