// SPDX-License-Identifier: MIT
#include "replay/engine/steady_figure.h"

const char *const steady_figure_names[] = {
	[STEADY_NONE] = "no", [STEADY_IOPS] = "iops",	[STEADY_THROUGHPUT] = "throughput",
	[STEADY_P50] = "p50", [STEADY_P90] = "p90",	[STEADY_P95] = "p95",
	[STEADY_P99] = "p99", [STEADY_P99_9] = "p99_9", NULL,
};

static double per_second(uint64_t count, const struct engine_progress *round)
{
	return (double)count * 1e9 / (double)round->interval_ns;
}

double steady_figure_value(enum steady_figure figure, const struct engine_progress *round)
{
	static const double pct[] = {[STEADY_P50] = 50,
				     [STEADY_P90] = 90,
				     [STEADY_P95] = 95,
				     [STEADY_P99] = 99,
				     [STEADY_P99_9] = 99.9};

	if (figure == STEADY_NONE)
		return 0;
	if (figure == STEADY_IOPS)
		return per_second(round->ios, round);
	if (figure == STEADY_THROUGHPUT)
		return per_second(round->read_bytes + round->write_bytes, round);
	return (double)histogram_percentile(round->submitted_ns, pct[figure]);
}
