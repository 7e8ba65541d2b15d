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

static void closed_change(enum closed_figure figure, double value, char *text)
{
	snprintf(text, UNITS_TEXT_MAX, figure == CLOSED_DEPENDENT_DELTA_PP ? "%+.2f pp" : "%.3f",
		 value);
}

/* Who waits for what, where the profile says it. False: it does not. */
static bool render_closed(const struct profile_error *e, bool with_trace, FILE *out)
{
	char median[UNITS_TEXT_MAX], worst[UNITS_TEXT_MAX];
	bool any = false;

	for (unsigned int i = 0; i < CLOSED_FIGURES; i++) {
		if (isnan(e->closed_median[i]))
			continue;
		closed_change(i, e->closed_median[i], median);
		closed_change(i, e->closed_worst[i], worst);
		fprintf(out, "%-*s %*s %*s %*s\n", LABEL_WIDTH, closed_figure_label(i), VALUE_WIDTH,
			with_trace ? "-" : "", VALUE_WIDTH, median, VALUE_WIDTH, worst);
		any = true;
	}
	return any;
}

static void local_change(enum local_figure figure, double value, char *text)
{
	snprintf(text, UNITS_TEXT_MAX, local_figure_is_ratio(figure) ? "x%.3f" : "%.3f", value);
}

/* Parts of the workload, as far as they are known. */
static void render_local(const struct profile_error *e, bool with_trace, FILE *out)
{
	char median[UNITS_TEXT_MAX], worst[UNITS_TEXT_MAX];

	for (unsigned int i = 0; i < LOCAL_FIGURES; i++) {
		if (isnan(e->local_median[i]))
			continue;
		local_change(i, e->local_median[i], median);
		local_change(i, e->local_worst[i], worst);
		fprintf(out, "%-*s %*s %*s %*s\n", LABEL_WIDTH, local_figure_label(i), VALUE_WIDTH,
			with_trace ? "-" : "", VALUE_WIDTH, median, VALUE_WIDTH, worst);
	}
}

/* Beyond its limit by most: "eighth: sizes 0.340". */
static void render_furthest(const struct profile_error *e, unsigned int figure, FILE *out)
{
	char text[UNITS_TEXT_MAX];

	if (figure < PROFILE_FIGURES)
		render_change_text(figure, e->median[figure], text);
	else if (figure < PROFILE_FIGURES + LOCAL_FIGURES)
		local_change(figure - PROFILE_FIGURES, suitability_median(e, figure), text);
	else
		closed_change(figure - PROFILE_FIGURES - LOCAL_FIGURES,
			      suitability_median(e, figure), text);
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
	char text[UNITS_TEXT_MAX], median[UNITS_TEXT_MAX], worst[UNITS_TEXT_MAX];
	bool closed;

	fprintf(out, "%-*s %*s %*s %*s\n", LABEL_WIDTH, "Workload", VALUE_WIDTH,
		trace ? "trace" : "", VALUE_WIDTH, "median", VALUE_WIDTH, "worst");
	for (unsigned int i = 0; i < FIGURE_COUNT; i++) {
		text[0] = 0;
		if (trace)
			render_figure_text(trace, i, text);
		render_change_text(i, e->median[i], median);
		render_change_text(i, e->worst[i], worst);
		fprintf(out, "%-*s %*s %*s %*s%s\n", LABEL_WIDTH, figure_info(i)->label,
			VALUE_WIDTH, text, VALUE_WIDTH, median, VALUE_WIDTH, worst,
			differs(i, e->median[i]) ? "  differs" : "");
	}
	render_local(e, trace, out);
	closed = render_closed(e, trace, out);
	fprintf(out,
		"Sizes, gaps, misses, runs, zones%s: a distance from 0 (the same) to 1.\n"
		"Bursts: variance / mean of the IOs in a window; 0 is even, 1 is random.\n",
		closed ? ", depth" : "");
	if (closed)
		fprintf(out,
			"Think time, latency: how far percentiles are off in the mean, as a part of "
			"the\nmean in the trace; 0 is the same, 1 as far as that mean is large.\n");
	render_suitability(e, out);
}
