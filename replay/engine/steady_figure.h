/* SPDX-License-Identifier: MIT */
/*
 * The figure by which a round of a replay is judged: a rate, or a percentile of the latency from
 * submission.
 */
#ifndef BLKREEL_REPLAY_ENGINE_STEADY_FIGURE_H
#define BLKREEL_REPLAY_ENGINE_STEADY_FIGURE_H

#include "replay/engine/options.h"

enum steady_figure {
	STEADY_NONE = 0,
	STEADY_IOPS,
	STEADY_THROUGHPUT,
	STEADY_P50,
	STEADY_P90,
	STEADY_P95,
	STEADY_P99,
	STEADY_P99_9,
};

extern const char *const steady_figure_names[]; /* by figure; ends with NULL */

/* The figure: IOs or bytes a second, or ns; 0 without any IO, and for STEADY_NONE. */
double steady_figure_value(enum steady_figure figure, const struct engine_progress *round);

#endif
