// SPDX-License-Identifier: MIT
#include "render/profile/error.h"

#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "compare/suitability.h"
#include "render/compare/pair.h"
#include "render/table.h"
#include "workload/figures/closed_figures.h"
#include "workload/figures/local_figures.h"

#define LABEL_WIDTH 18
#define VALUE_WIDTH 13

static bool differs(enum workload_figure figure, double value)
{
	const struct figure_info *info = figure_info(figure);

	if (isnan(value))
		return false;
	if (info->is_ratio)
		return value > info->same || value < 1 / info->same;
	return fabs(value) > info->same;
}

static void change_text(unsigned int figure, double value, char *text)
{
	if (figure < PROFILE_FIGURES)
		render_change_text(figure, value, text);
	else if (figure < PROFILE_FIRST_CLOSED)
		snprintf(text, UNITS_TEXT_MAX,
			 local_figure_is_ratio(figure - PROFILE_FIGURES) ? "x%.3f" : "%.3f", value);
	else
		snprintf(text, UNITS_TEXT_MAX,
			 figure == PROFILE_FIRST_CLOSED + CLOSED_DEPENDENT_DELTA_PP ? "%+.2f pp"
										    : "%.3f",
			 value);
}

static void render_figure(const struct profile_error *e, unsigned int figure, const char *trace,
			  const char *remark, FILE *out)
{
	char median[UNITS_TEXT_MAX], worst[UNITS_TEXT_MAX];

	change_text(figure, e->median[figure], median);
	change_text(figure, e->worst[figure], worst);
	fprintf(out, "%-*s %*s %*s %*s%s\n", LABEL_WIDTH, suitability_figure_label(figure),
		VALUE_WIDTH, trace, VALUE_WIDTH, median, VALUE_WIDTH, worst, remark);
}

/* Beyond its limit by most: "eighth: sizes 0.340". */
static void render_furthest(const struct profile_error *e, unsigned int figure, FILE *out)
{
	char text[UNITS_TEXT_MAX];

	change_text(figure, e->median[figure], text);
	fprintf(out, " (%s %s)", suitability_figure_label(figure), text);
}

/* "a, b and c" of the uses that are judged so; their number. */
static unsigned int render_uses(const struct profile_error *e, const struct suitability *s,
				unsigned int judged, const char *before, FILE *out)
{
	unsigned int count = 0, shown = 0;

	for (unsigned int use = 0; use < USES; use++)
		count += s->of[use] == judged;
	for (unsigned int use = 0; use < USES; use++) {
		if (s->of[use] != judged)
			continue;
		fputs(!shown ? before : shown + 1 == count ? " and " : ", ", out);
		fputs(suitability_use_text(use), out);
		if (judged == SUITABILITY_NOT)
			render_furthest(e, s->furthest[use], out);
		shown++;
	}
	return count;
}

/* One sentence. */
static void render_suitability(const struct profile_error *e, FILE *out)
{
	struct suitability s;
	size_t bytes = 0;
	char *text = NULL;
	FILE *memory = open_memstream(&text, &bytes);
	unsigned int count;

	if (!memory)
		return;
	suitability_judge(e, &s);
	count = render_uses(e, &s, SUITABILITY_GOOD, "This profile is good for ", memory);
	count += render_uses(e, &s, SUITABILITY_NOT,
			     count ? ", not for " : "This profile is not good for ", memory);
	fputs(".", memory);
	if (!fclose(memory) && count)
		text_wrapped(out, "", text);
	free(text);
}

void render_profile_error(const struct profile_error *e, const struct workload_figures *trace,
			  FILE *out)
{
	bool closed = false;
	char text[UNITS_TEXT_MAX];

	fprintf(out, "%-*s %*s %*s %*s\n", LABEL_WIDTH, "Workload", VALUE_WIDTH,
		trace ? "trace" : "", VALUE_WIDTH, "median", VALUE_WIDTH, "worst");
	for (unsigned int i = 0; i < FIGURE_COUNT; i++) {
		text[0] = 0;
		if (trace)
			render_figure_text(trace, i, text);
		render_figure(e, i, text, differs(i, e->median[i]) ? "  differs" : "", out);
	}
	/* Of parts, and of who waits for what, where the profile says it. */
	for (unsigned int i = FIGURE_COUNT; i < PROFILE_ALL_FIGURES; i++) {
		if (isnan(e->median[i]))
			continue;
		render_figure(e, i, trace ? "-" : "", "", out);
		closed = i >= PROFILE_FIRST_CLOSED;
	}
	fprintf(out,
		"Sizes, gaps, misses, runs, zones%s, other operations: 0 (the same) to 1.\n"
		"Bursts: variance / mean of the IOs in a window; 0 is even, 1 is random.\n",
		closed ? ", depth" : "");
	if (closed)
		fprintf(out,
			"Think time, latency: how far percentiles are off in the mean, as a part of "
			"the\nmean in the trace; 0 is the same, 1 as far as that mean is large.\n");
	render_suitability(e, out);
}
