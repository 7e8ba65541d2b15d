// SPDX-License-Identifier: MIT
/* The time that is left, and how it is written. */
#include "base/progress.h"
#include "unit/shared/test.h"

static void the_time_left_follows_from_the_share(void)
{
	CHECK_EQ(progress_left_ns(3000, 0.75), 1000);
	CHECK_EQ(progress_left_ns(1000, 0.1), 9000);
	CHECK_EQ(progress_left_ns(1000, 1), 0);
	CHECK_EQ(progress_left_ns(1000, 0), 0);
	CHECK_EQ(progress_left_ns(UINT64_MAX, 1e-9), 0);
}

static void the_time_left_is_rounded_up_to_seconds(void)
{
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0s"},
		{1, "1s"},
		{59 * NSEC_PER_SEC, "59s"},
		{59 * NSEC_PER_SEC + 1, "1m00s"},
		{185 * NSEC_PER_SEC, "3m05s"},
		{3599 * NSEC_PER_SEC + 1, "1h00m"},
		{7620 * NSEC_PER_SEC, "2h07m"},
	};
	char text[UNITS_TEXT_MAX];

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CHECK_TEXT(progress_left_text(cases[i].ns, text), cases[i].text);
}

int main(void)
{
	RUN(the_time_left_follows_from_the_share);
	RUN(the_time_left_is_rounded_up_to_seconds);
	return TEST_RESULT;
}
