// SPDX-License-Identifier: MIT
#include "render/profile/error.h"

#include <math.h>

#include "base/units.h"
#include "render/compare/pair.h"
#include "workload/figures/closed_figures.h"

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

/* Who waits for what, where the profile says it. False: it does not. */
static bool render_closed(const struct profile_error *e, bool with_trace, FILE *out)
{
	char median[UNITS_TEXT_MAX], worst[UNITS_TEXT_MAX];
	bool any = false;

	for (unsigned int i = 0; i < CLOSED_FIGURES; i++) {
		const char *format = i == CLOSED_DEPENDENT_DELTA_PP ? "%+.2f pp" : "%.3f";

		if (isnan(e->closed_median[i]))
			continue;
		snprintf(median, sizeof(median), format, e->closed_median[i]);
		snprintf(worst, sizeof(worst), format, e->closed_worst[i]);
		fprintf(out, "%-*s %*s %*s %*s\n", LABEL_WIDTH, closed_figure_label(i), VALUE_WIDTH,
			with_trace ? "-" : "", VALUE_WIDTH, median, VALUE_WIDTH, worst);
		any = true;
	}
	return any;
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
	closed = render_closed(e, trace, out);
	fprintf(out,
		"Sizes, gaps, cache miss curve%s: a distance from 0 (the same) to 1.\n"
		"Bursts: variance / mean of the IOs in a window; 0 is even, 1 is random.\n",
		closed ? ", depth" : "");
	if (closed)
		fprintf(out,
			"Think time, latency: how far percentiles are off in the mean, as a part of "
			"the\nmean in the trace; 0 is the same, 1 as far as that mean is large.\n");
}
