// SPDX-License-Identifier: MIT
/* The bucket of a latency in the counts by cgroup follows from its bucket in those of the disk. */
#include "base/loglinear.h"
#include "bpf/tally.h"
#include "unit/shared/test.h"

static const struct loglinear scale = {1u << TALLY_TIME_UNIT_BITS, TALLY_TIME_STEP_BITS,
				       TALLY_TIME_BUCKETS};

/* As bpf/tally.h defines the bucket of a time. */
static uint32_t cgroup_bucket(uint64_t time_ns)
{
	uint32_t bucket = 0;

	while (bucket < TALLY_CGROUP_BUCKETS - 1 && time_ns >> (TALLY_CGROUP_UNIT_BITS + bucket))
		bucket++;
	return bucket;
}

static void test_first_and_last_time_of_each_bucket(void)
{
	for (uint32_t bucket = 0; bucket < TALLY_TIME_BUCKETS; bucket++) {
		CHECK_EQ(TALLY_CGROUP_BUCKET(bucket), cgroup_bucket(loglinear_low(&scale, bucket)));
		CHECK_EQ(TALLY_CGROUP_BUCKET(bucket),
			 cgroup_bucket(loglinear_low(&scale, bucket + 1) - 1));
	}
}

int main(void)
{
	RUN(test_first_and_last_time_of_each_bucket);
	return TEST_RESULT;
}
