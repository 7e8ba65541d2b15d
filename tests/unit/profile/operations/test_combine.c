// SPDX-License-Identifier: MIT
/* Profiles out of the generated IOs of others. */
#include "profile/arithmetic.h"
#include "profile/operations/operations.h"
#include "unit/profile/profiles.h"

static void equal_parts_come_at_times_of_their_own(void)
{
	struct profile *p = profile_of_text("[profile]\nversion = 1\nios = 20000\nduration = 20s\n"
					    "end = 1GiB\n[stream 1]\nop = read\nsize = 4K\n");
	const struct profile_part parts[2] = {{p, 0}, {p, 1 << 21}};
	const uint32_t *gaps;
	struct profile *mix;

	REQUIRE(!profile__combine(parts, 2, 0, UINT64_MAX, &mix));
	gaps = mix->arrival.gap_histogram;
	CHECK_EQ(mix->ios, 40000);
	CHECK(gaps[0] < sum_of_weights(gaps, PROFILE_GAP_OCTAVES) / 100);
	profile__free(mix);
	profile__free(p);
}

int main(void)
{
	RUN(equal_parts_come_at_times_of_their_own);
	return TEST_RESULT;
}
