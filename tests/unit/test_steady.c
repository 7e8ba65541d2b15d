/* The steady state, on series of which it is known. */
#include "unit/test.h"

#include <math.h>

#include "replay/steady.h"

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

static void nothing_is_not_steady(void)
{
	static const double nothing[] = {0, 0, 0, 0, 0};

	CHECK(!judge(nothing, 5).reached);
}

int main(void)
{
	RUN(needs_a_whole_window);
	RUN(range_is_of_the_mean);
	RUN(slope_is_that_of_the_line);
	RUN(only_the_last_rounds_count_in_their_order);
	RUN(nothing_is_not_steady);
	return TEST_RESULT;
}
