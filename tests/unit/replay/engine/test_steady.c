// SPDX-License-Identifier: MIT
/* The steady state, on series of which it is known. */
#include "unit/shared/test.h"

#include <math.h>

#include "replay/engine/steady.h"
#include "replay/engine/steady_figure.h"

static struct steady_verdict judge(const double *values, unsigned int count)
{
	struct steady s = {0};
	struct steady_verdict v;

	for (unsigned int i = 0; i < count; i++)
		steady__add(&s, values[i]);
	steady__judge(&s, &v);
	return v;
}

static void needs_a_whole_window(void)
{
	static const double same[] = {100, 100, 100, 100, 100, 100};

	for (unsigned int n = 0; n < 5; n++)
		CHECK(!judge(same, n).reached && !(judge(same, n).mean > 0));
	CHECK(judge(same, 5).reached);
	CHECK(judge(same, 6).reached);
	CHECK(fabs(judge(same, 6).mean - 100) < 1e-9);
}

static void range_is_of_the_mean(void)
{
	/* Mean 100, highest - lowest 20: just so; the line through them is flat. */
	static const double just[] = {100, 110, 90, 110, 90};
	static const double more[] = {100, 111, 89, 111, 89};
	static const double just_flat[] = {90, 110, 100, 110, 90};
	static const double more_flat[] = {89, 111, 100, 111, 89};

	CHECK(fabs(judge(just, 5).range_pct - 20) < 1e-9);
	CHECK(judge(just_flat, 5).reached);
	CHECK(!judge(more_flat, 5).reached);
	CHECK(fabs(judge(just_flat, 5).slope_pct) < 1e-9);
	CHECK(!judge(more, 5).reached);
}

static void slope_is_that_of_the_line(void)
{
	static const double just[] = {95, 97.5, 100, 102.5, 105};
	static const double down[] = {105.5, 102.75, 100, 97.25, 94.5};

	CHECK(fabs(judge(just, 5).slope_pct - 10) < 1e-9);
	CHECK(judge(just, 5).reached);
	CHECK(fabs(judge(down, 5).slope_pct - 11) < 1e-9);
	CHECK(!judge(down, 5).reached);
}

static void only_the_last_rounds_count_in_their_order(void)
{
	/* The window turns over in the array: a slope would be seen as a step. */
	static const double values[] = {900, 700, 500, 95, 97.5, 100, 102.5, 105};

	CHECK(judge(values, 8).reached);
	CHECK(fabs(judge(values, 8).slope_pct - 10) < 1e-9);
	CHECK(!judge(values, 7).reached);
}

static void rounds_of_zero_are_not_steady(void)
{
	static const double nothing[] = {0, 0, 0, 0, 0};

	CHECK(!judge(nothing, 5).reached);
}

/* Ten thousand IOs in five seconds. */
static void each_figure_is_judged_by_itself(void)
{
	static const struct {
		const char *name;
		double value;
	} figures[] = {{"no", 0},     {"iops", 2000}, {"throughput", 16000}, {"p50", 1000},
		       {"p90", 2000}, {"p95", 4000},  {"p99", 8000},	     {"p99_9", 16000}};
	static const struct {
		uint64_t ns;
		unsigned int ios;
	} latencies[] = {{1000, 6000}, {2000, 3300}, {4000, 400},
			 {8000, 250},  {16000, 45},  {32000, 5}};
	struct histogram submitted_ns, intended_ns;
	const struct engine_progress round = {.ios = 10000,
					      .interval_ns = 5000000000,
					      .read_bytes = 70000,
					      .write_bytes = 10000,
					      .submitted_ns = &submitted_ns,
					      .intended_ns = &intended_ns};

	histogram_init(&submitted_ns);
	histogram_init(&intended_ns);
	histogram_add_many(&intended_ns, 1000000, 10000);
	for (size_t i = 0; i < sizeof(latencies) / sizeof(latencies[0]); i++)
		histogram_add_many(&submitted_ns, latencies[i].ns, latencies[i].ios);
	for (unsigned int i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		double value = steady_figure_value((enum steady_figure)i, &round);

		CHECK_TEXT(steady_figure_names[i], figures[i].name);
		/* The classes of a histogram have a width. */
		if (fabs(value - figures[i].value) > 0.01 * figures[i].value) {
			printf("# %s is %.0f\n", figures[i].name, value);
			CHECK(false);
		}
	}
	CHECK(!steady_figure_names[sizeof(figures) / sizeof(figures[0])]);
}

int main(void)
{
	RUN(needs_a_whole_window);
	RUN(range_is_of_the_mean);
	RUN(slope_is_that_of_the_line);
	RUN(only_the_last_rounds_count_in_their_order);
	RUN(rounds_of_zero_are_not_steady);
	RUN(each_figure_is_judged_by_itself);
	return TEST_RESULT;
}
