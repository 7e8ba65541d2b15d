// SPDX-License-Identifier: MIT
/* The size of a file that ends now, from the file before. */
#include "unit/shared/test.h"

#include "collector/recording/size_estimate.h"

static void rows_count_as_in_the_file_before(void)
{
	struct size_estimate e = {0};

	size_estimate__learn(&e, 10000, 100000);
	e.last_rows = 5000;
	/* 5,000 rows, none added since: 10 bytes each, a quarter, and a head. */
	CHECK_EQ(size_estimate__look(&e, 5000), 4096 + 62500);
	/* 1,000 more, and as many again until the next look. */
	CHECK_EQ(size_estimate__look(&e, 6000), 4096 + 87500);
	/* Another file. */
	CHECK_EQ(size_estimate__look(&e, 0), 4096);
}

static void the_first_file_counts_more_than_rows_take(void)
{
	struct size_estimate e = {0};

	CHECK_EQ(size_estimate__look(&e, 1000), 4096 + 48000);
	/* A file of few rows is mostly its head: nothing to learn from. */
	size_estimate__learn(&e, 10, 3000);
	CHECK_EQ(size_estimate__look(&e, 1000), 4096 + 24000);
}

int main(void)
{
	RUN(rows_count_as_in_the_file_before);
	RUN(the_first_file_counts_more_than_rows_take);
	return TEST_RESULT;
}
