// SPDX-License-Identifier: MIT
/* The parts of a device that IOs touch, against a bitmap. */
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#include <errno.h>

#include "replay/source/footprint.h"

#define GRANULES 5000u
#define GRANULE	 FOOTPRINT_GRANULE_BYTES

static uint8_t touched[GRANULES];

static void add(struct footprint *f, uint64_t offset_bytes, uint64_t length_bytes)
{
	struct replay_io io = {.offset_bytes = offset_bytes, .length_bytes = length_bytes};

	CHECK_EQ(footprint__add(f, &io), 0);
	for (uint64_t at = offset_bytes; at < offset_bytes + length_bytes; at += 512)
		touched[at / GRANULE] = 1;
}

static void parts_are_those_of_a_bitmap(void)
{
	uint64_t place = 0, wrong = 0;
	struct footprint *f;

	REQUIRE(!footprint__create(&f));
	for (unsigned int i = 0; i < 40000; i++) {
		uint64_t length = 512 * (1 + next_random() % 300);
		uint64_t offset = next_random() % 100 * 50 * GRANULE + 512 * (next_random() % 2000);

		add(f, offset, length);
	}
	CHECK_EQ(footprint__finish(f), 0);
	for (uint64_t i = 0; i < GRANULES; i++) {
		uint64_t want = touched[i] ? place : UINT64_MAX;

		wrong += footprint__place(f, i * GRANULE) != want;
		wrong += touched[i] && footprint__place(f, i * GRANULE + 4608) != place + 4608;
		place += touched[i] ? GRANULE : 0;
	}
	CHECK_EQ(wrong, 0);
	CHECK_EQ(footprint__bytes(f), place);
	CHECK(place > 0 && place < GRANULES * GRANULE / 2);
	footprint__free(f);
}

static void long_and_far_ios_cost_nothing(void)
{
	struct replay_io far = {.offset_bytes = INT64_MAX / GRANULE * GRANULE - GRANULE,
				.length_bytes = 4096};
	struct replay_io discard = {.offset_bytes = 1ull << 40, .length_bytes = 1ull << 42};
	struct replay_io flush = {.op = REPLAY_FLUSH};
	struct footprint *f;

	REQUIRE(!footprint__create(&f));
	CHECK_EQ(footprint__bytes(f), 0);
	CHECK_EQ(footprint__place(f, 0), -1);
	CHECK_EQ(footprint__add(f, &far), 0);
	CHECK_EQ(footprint__add(f, &discard), 0);
	CHECK_EQ(footprint__add(f, &flush), 0);
	CHECK_EQ(footprint__finish(f), 0);
	CHECK_EQ(footprint__bytes(f), (1ull << 42) + GRANULE);
	CHECK_EQ(footprint__place(f, far.offset_bytes + 512), (1ull << 42) + 512);
	CHECK_EQ(footprint__place(f, 0), -1);
	footprint__free(f);
}

static void too_many_parts_are_an_error(void)
{
	struct footprint *f;
	int err = 0;

	REQUIRE(!footprint__create(&f));
	for (uint64_t i = 0; !err && i <= 2ull * FOOTPRINT_PARTS_MAX + 1; i++) {
		struct replay_io io = {.offset_bytes = 2 * i * GRANULE, .length_bytes = 512};

		err = footprint__add(f, &io);
	}
	CHECK_EQ(err ? err : footprint__finish(f), -E2BIG);
	footprint__free(f);
}

int main(void)
{
	RUN(parts_are_those_of_a_bitmap);
	RUN(long_and_far_ios_cost_nothing);
	RUN(too_many_parts_are_an_error);
	return TEST_RESULT;
}
