// SPDX-License-Identifier: MIT
#include "render/explain/charts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"

#define LATENCY_LINES 12u

static const struct {
	const char *name;
	enum chart_hue hue;
} ops[TICK_OP_COUNT] = {
	[TICK_READ] = {"reads", CHART_READ},
	[TICK_WRITE] = {"writes", CHART_WRITE},
	[TICK_DISCARD] = {"discards", CHART_OTHER},
	[TICK_FLUSH] = {"flushes", CHART_OTHER},
};

/* Whole bins become a column, never parts of one. */
struct fold {
	unsigned int bins; /* of a column */
	unsigned int columns;
};

static struct fold fold_of(const struct chart_style *style, const struct timeline *t)
{
	struct fold fold = {.bins = 1};

	while ((t->bins + fold.bins - 1) / fold.bins > chart_columns(style))
		fold.bins++;
	fold.columns = (t->bins + fold.bins - 1) / fold.bins;
	return fold;
}

/* IOs a second in each column, and the most of them. */
static double fold_load(const struct fold *fold, const struct timeline *t, enum tick_op op,
			double *per_second)
{
	double most = 0;

	for (unsigned int column = 0; column < fold->columns; column++) {
		uint32_t first = column * fold->bins, end = first + fold->bins;
		uint64_t ios = 0;

		end = end < t->bins ? end : t->bins;
		for (uint32_t bin = first; bin < end; bin++)
			ios += t->load[op].ios[bin];
		per_second[column] =
			(double)ios * (double)NSEC_PER_SEC / ((double)t->width_ns * (end - first));
		most = per_second[column] > most ? per_second[column] : most;
	}
	return most;
}

static void print_axis(FILE *out, const struct fold *fold, const struct timeline *t)
{
	chart_time_axis(out, "0", TIME_TEXT(t->width_ns * t->bins), fold->columns);
}

/* The most is in a line of its own, for which the narrowest terminal has the space. */
static void print_load(FILE *out, const struct chart_style *style, const struct fold *fold,
		       const struct timeline *t)
{
	double per_second[CHART_COLUMNS_MAX];

	fprintf(out, "\nIOs a second (a column is %s)\n", TIME_TEXT(t->width_ns * fold->bins));
	for (int op = 0; op < TICK_OP_COUNT; op++) {
		double most = fold_load(fold, t, (enum tick_op)op, per_second);

		if (!(most > 0))
			continue;
		chart_line(out, style, ops[op].name, ops[op].hue, per_second, fold->columns, most);
		fprintf(out, "%*sat most %s\n", (int)CHART_LABEL, "",
			COUNT_TEXT((uint64_t)(most + 0.5)));
	}
	print_axis(out, fold, t);
}

/* The cells of all operations, folded. NULL: out of memory. */
static uint32_t *fold_latencies(const struct fold *fold, const struct report *r)
{
	size_t rows = r->latency.rows;
	uint32_t *cells = calloc((size_t)fold->columns * rows, sizeof(*cells));

	for (int op = 0; cells && op < TICK_OP_COUNT; op++)
		for (size_t bin = 0; r->latency.cells[op] && bin < r->timeline.bins; bin++)
			for (size_t row = 0; row < rows; row++)
				cells[bin / fold->bins * rows + row] +=
					r->latency.cells[op][bin * rows + row];
	return cells;
}

static int print_latencies(FILE *out, const struct chart_style *style, const struct fold *fold,
			   const struct report *r)
{
	struct chart_latencies latencies = {.columns = fold->columns,
					    .rows = r->latency.rows,
					    .octave_rows = r->latency_octave_rows};
	uint32_t *cells = fold_latencies(fold, r);

	if (!cells)
		return -ENOMEM;
	latencies.cells = cells;
	fprintf(out, "\nLatency (the darker, the more IOs)\n");
	if (chart_latencies(out, style, &latencies, LATENCY_LINES))
		print_axis(out, fold, &r->timeline);
	else
		fprintf(out, "  is not known of any IO\n");
	free(cells);
	return 0;
}

int explain_print_charts(FILE *out, const struct chart_style *style, const struct report *r)
{
	struct fold fold = fold_of(style, &r->timeline);
	bool any = false;
	int err;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		for (uint32_t i = 0; i < r->timeline.bins; i++)
			any |= r->timeline.load[op].ios[i];
	if (!any) {
		fprintf(out, "\nNo chart: the trace has no IO.\n");
		return ferror(out) ? -EIO : 0;
	}
	print_load(out, style, &fold, &r->timeline);
	err = print_latencies(out, style, &fold, r);
	return err ? err : ferror(out) ? -EIO : 0;
}
