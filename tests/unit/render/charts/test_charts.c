// SPDX-License-Identifier: MIT
/* Which glyphs stand for known values. */
#include "render/charts/charts.h"
#include "unit/shared/test.h"

static const struct chart_style wide = {.width = 80, .utf8 = true};
static const struct chart_style plain = {.width = 80};

static char *text;
static size_t length;

static FILE *begin(void)
{
	free(text);
	return open_memstream(&text, &length);
}

static const char *end(FILE *out)
{
	fclose(out);
	return text;
}

static const char *line_of(const struct chart_style *style, const double *values,
			   unsigned int count, double most)
{
	FILE *out = begin();

	chart_line(out, style, "reads", CHART_READ, values, count, most);
	return end(out);
}

static void heights_follow_the_values(void)
{
	static const double values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	static const double uneven[] = {8, 0.001, 0, 7.999, 9, 0, 0};

	CHECK_TEXT(line_of(&wide, values, 9, 8), "    reads  ▁▂▃▄▅▆▇█\n");
	CHECK_TEXT(line_of(&plain, values, 8, 7), "    reads  .:-=+*#\n");
	/* A little is not nothing, more than the most is the most, and no blanks end a line. */
	CHECK_TEXT(line_of(&wide, uneven, 7, 8), "    reads █▁ ██\n");
	CHECK_TEXT(line_of(&wide, uneven, 0, 8), "    reads \n");
	CHECK_TEXT(line_of(&wide, uneven + 5, 2, 0), "    reads \n");
}

static void colour_ends_with_its_line(void)
{
	static const double one[] = {1};
	const struct chart_style colored = {.width = 80, .utf8 = true, .color = true};

	CHECK_TEXT(line_of(&colored, one, 1, 1), "    reads \033[34m█\033[0m\n");
}

static const char *map_of(const struct chart_style *style, const uint32_t *cells,
			  unsigned int columns, unsigned int rows, unsigned int octave_rows,
			  unsigned int lines_max)
{
	const struct chart_latencies map = {cells, columns, rows, octave_rows};
	FILE *out = begin();
	unsigned int lines = chart_latencies(out, style, &map, lines_max), found = 0;

	end(out);
	for (const char *at = text; *at; at++)
		found += *at == '\n';
	CHECK_EQ(found, lines);
	return text;
}

static void shades_are_of_a_log_scale(void)
{
	/* Six columns, a row each: none, one, ... of 10000. */
	static const uint32_t cells[] = {0, 1, 20, 200, 3000, 10000};

	CHECK_TEXT(map_of(&wide, cells, 6, 1, 1, 5), "     1 ns  ·░▒▓█\n");
	CHECK_TEXT(map_of(&plain, cells, 6, 1, 1, 5), "     1 ns  .:=*#\n");
}

static void one_io_is_the_most(void)
{
	static const uint32_t cells[] = {1, 0, 1};

	CHECK_TEXT(map_of(&wide, cells, 3, 1, 1, 5), "     1 ns █ █\n");
}

static void only_the_rows_with_ios_are_drawn(void)
{
	uint32_t cells[2 * 16] = {0};

	CHECK_TEXT(map_of(&wide, cells, 2, 16, 1, 5), "");
	cells[10] = 1;	    /* 1.02 us, the first column */
	cells[16 + 12] = 1; /* 4.1 us, the second */
	CHECK_TEXT(map_of(&wide, cells, 2, 16, 1, 5), "   4.1 us  █\n  2.05 us \n  1.02 us █\n");
	CHECK_TEXT(map_of(&wide, cells, 2, 16, 1, 0), "");
}

static void rows_are_joined_where_lines_are_few(void)
{
	uint32_t cells[512] = {0};

	cells[80] = 3;	/* 2^10 ns */
	cells[87] = 3;	/* 2^10.875 */
	cells[112] = 6; /* 2^14 */
	/* Four octaves and a part: of whole octaves five lines, of two octaves three. */
	CHECK_TEXT(map_of(&wide, cells, 1, 512, 8, 5),
		   "  16.4 us █\n  8.19 us \n   4.1 us \n  2.05 us \n  1.02 us █\n");
	CHECK_TEXT(map_of(&wide, cells, 1, 512, 8, 3), "  16.4 us █\n   4.1 us \n  1.02 us █\n");
	CHECK_TEXT(map_of(&wide, cells, 1, 512, 8, 1), "  1.02 us █\n");
}

static void the_axis_ends_below_the_last_column(void)
{
	FILE *out = begin();

	chart_time_axis(out, "0", "60.00 s", 20);
	CHECK_TEXT(end(out), "          0            60.00 s\n");
	out = begin();
	chart_time_axis(out, "0", "60.00 s", 7);
	CHECK_TEXT(end(out), "          0\n");
}

static void widths_are_bounded(void)
{
	CHECK_EQ(chart_style_of_width(10).width, CHART_WIDTH_MIN);
	CHECK_EQ(chart_style_of_width(80).width, 80);
	CHECK_EQ(chart_style_of_width(1000).width, CHART_WIDTH_MAX);
	CHECK_EQ(chart_columns(&wide), 69);
}

static bool is_utf8_with(const char *all, const char *ctype, const char *lang)
{
	setenv("LC_ALL", all, 1);
	setenv("LC_CTYPE", ctype, 1);
	setenv("LANG", lang, 1);
	return chart_style_of_width(80).utf8;
}

static void the_locale_chooses_the_glyphs(void)
{
	CHECK(is_utf8_with("", "", "de_DE.UTF-8"));
	CHECK(is_utf8_with("", "C.utf8", "C"));
	CHECK(!is_utf8_with("C", "C.UTF-8", "C.UTF-8"));
	CHECK(!is_utf8_with("", "", "de_DE.ISO-8859-1"));
	CHECK(!is_utf8_with("", "", ""));
}

static void no_color_is_honoured(void)
{
	setenv("TERM", "xterm", 1);
	unsetenv("NO_COLOR");
	CHECK(chart_style_of_width(80).color);
	setenv("NO_COLOR", "1", 1);
	CHECK(!chart_style_of_width(80).color);
	unsetenv("NO_COLOR");
	setenv("TERM", "dumb", 1);
	CHECK(!chart_style_of_width(80).color);
}

int main(void)
{
	RUN(heights_follow_the_values);
	RUN(colour_ends_with_its_line);
	RUN(shades_are_of_a_log_scale);
	RUN(one_io_is_the_most);
	RUN(only_the_rows_with_ios_are_drawn);
	RUN(rows_are_joined_where_lines_are_few);
	RUN(the_axis_ends_below_the_last_column);
	RUN(widths_are_bounded);
	RUN(the_locale_chooses_the_glyphs);
	RUN(no_color_is_honoured);
	free(text);
	return TEST_RESULT;
}
