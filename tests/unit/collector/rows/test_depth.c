// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <stdlib.h>

#include "collector/rows/depth.h"

#define REQUESTS 20000
#define DEVICE	 3

struct request {
	uint64_t issued_ns, completed_ns;
	uint32_t depth;
};

static int by_issue(const void *a, const void *b)
{
	const struct request *x = a, *y = b;

	return x->issued_ns < y->issued_ns ? -1 : x->issued_ns > y->issued_ns;
}

static int by_completion(const void *a, const void *b)
{
	const struct request *x = a, *y = b;

	return x->completed_ns < y->completed_ns ? -1 : x->completed_ns > y->completed_ns;
}

/* Overlapping requests, one in a hundred of them much slower, and for each the depth at its issue,
 * counted one by one. */
static struct request *make_requests(uint32_t count)
{
	struct request *requests = calloc(count, sizeof(*requests));
	uint64_t random = 88172645463325252ull, now_ns = 1000;

	for (uint32_t i = 0; requests && i < count; i++) {
		random ^= random << 13, random ^= random >> 7, random ^= random << 17;
		now_ns += 1 + random % 1000;
		requests[i].issued_ns = now_ns;
		requests[i].completed_ns =
			now_ns + 500 + random / 1000 % 20000 * (i % 100 ? 1 : 40);
	}
	if (requests)
		qsort(requests, count, sizeof(*requests), by_issue);
	for (uint32_t i = 0; requests && i < count; i++)
		for (uint32_t j = 0; j <= i; j++)
			requests[i].depth += requests[j].completed_ns > requests[i].issued_ns;
	return requests;
}

static void the_depth_equals_counting_one_by_one(void)
{
	struct request *requests = make_requests(REQUESTS);
	struct depth_meter *meter;
	uint64_t *numbers = calloc(REQUESTS, sizeof(*numbers));
	uint32_t wrong = 0, deepest = 0;

	REQUIRE(requests && numbers && !depth_meter__create(&meter));
	for (uint32_t i = 0; i < REQUESTS; i++)
		numbers[i] = requests[i].issued_ns;
	qsort(requests, REQUESTS, sizeof(*requests), by_completion);
	for (uint32_t i = 0; i < REQUESTS; i++) {
		uint64_t *at = bsearch(&requests[i].issued_ns, numbers, REQUESTS, sizeof(*numbers),
				       by_issue);

		wrong += requests[i].depth !=
			 depth_meter__next(meter, DEVICE, (uint64_t)(at - numbers) + 1,
					   requests[i].issued_ns, requests[i].completed_ns);
		if (requests[i].depth > deepest)
			deepest = requests[i].depth;
	}
	CHECK_EQ(wrong, 0);
	CHECK(deepest > 20);
	depth_meter__free(meter);
	free(numbers);
	free(requests);
}

static void a_request_without_a_number_has_no_depth(void)
{
	struct depth_meter *meter;

	REQUIRE(!depth_meter__create(&meter));
	CHECK_EQ(depth_meter__next(meter, 1, 0, 10, 20), 0);
	CHECK_EQ(depth_meter__next(meter, 1, 1, 30, 40), 1);
	depth_meter__free(meter);
}

static void devices_are_counted_separately(void)
{
	struct depth_meter *meter;

	REQUIRE(!depth_meter__create(&meter));
	CHECK_EQ(depth_meter__next(meter, 1, 1, 10, 100), 1);
	CHECK_EQ(depth_meter__next(meter, 2, 1, 20, 110), 1);
	CHECK_EQ(depth_meter__next(meter, 1, 2, 20, 120), 2);
	depth_meter__free(meter);
}

static void lost_requests_have_completed_as_well(void)
{
	struct depth_meter *meter;

	REQUIRE(!depth_meter__create(&meter));
	CHECK_EQ(depth_meter__next(meter, 1, 1, 10, 100), 1);
	depth_meter__lost(meter, 1, 5, 150);
	depth_meter__lost(meter, 1, 5, 160);
	CHECK_EQ(depth_meter__next(meter, 1, 8, 200, 210), 2);
	depth_meter__free(meter);
}

static void the_depth_is_unknown_around_lost_requests(void)
{
	struct depth_meter *meter;

	REQUIRE(!depth_meter__create(&meter));
	CHECK_EQ(depth_meter__next(meter, 1, 1, 10, 100), 1);
	depth_meter__lost(meter, 1, 3, 150);
	CHECK_EQ(depth_meter__next(meter, 1, 2, 90, 145),
		 2); /* issued before any of them completed */
	CHECK_EQ(depth_meter__next(meter, 1, 6, 120, 146), 0); /* between them */
	CHECK_EQ(depth_meter__next(meter, 1, 7, 150, 170), 1);
	/* Repeated losses: not known from the first one on. */
	depth_meter__lost(meter, 1, 4, 180);
	depth_meter__lost(meter, 1, 5, 190);
	CHECK_EQ(depth_meter__next(meter, 1, 10, 175, 195), 0);
	CHECK_EQ(depth_meter__next(meter, 1, 11, 190, 200), 2);
	/* Another device is not affected. */
	CHECK_EQ(depth_meter__next(meter, 2, 1, 120, 210), 1);
	depth_meter__free(meter);
}

static void the_depth_is_unknown_after_too_many_completions(void)
{
	struct depth_meter *meter;

	REQUIRE(!depth_meter__create(&meter));
	for (uint64_t i = 1; i <= 40000; i++)
		depth_meter__next(meter, 1, i + 1, 100 * i, 100 * i + 50);
	CHECK_EQ(depth_meter__next(meter, 1, 1, 90, 5000000), 0);
	CHECK_EQ(depth_meter__next(meter, 1, 40002, 5000100, 5000200), 1);
	depth_meter__free(meter);
}

/* Of a hundred requests that are in flight together one end was not seen. */
static void an_end_that_was_not_seen_hides_no_others(void)
{
	struct depth_meter *meter;

	REQUIRE(!depth_meter__create(&meter));
	for (uint64_t i = 1; i <= 100; i++)
		CHECK_EQ(depth_meter__next(meter, 1, i, 1000 + i, 5000 + i), i);
	CHECK_EQ(depth_meter__next(meter, 1, 101, 1101, 0), 101);
	CHECK_EQ(depth_meter__next(meter, 1, 102, 1102, 5102), 102);
	depth_meter__free(meter);
}

int main(void)
{
	RUN(the_depth_equals_counting_one_by_one);
	RUN(a_request_without_a_number_has_no_depth);
	RUN(devices_are_counted_separately);
	RUN(lost_requests_have_completed_as_well);
	RUN(the_depth_is_unknown_around_lost_requests);
	RUN(the_depth_is_unknown_after_too_many_completions);
	RUN(an_end_that_was_not_seen_hides_no_others);
	return TEST_RESULT;
}
