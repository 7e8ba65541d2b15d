// SPDX-License-Identifier: MIT
/* Repeated addresses: encoding and decoding, also of hostile files. */
#include <stdint.h>

#include "trace/columns/places.h"
#include "unit/shared/test.h"

#define COUNT TRACE_BLOCK_ROWS_MAX

static struct io_row rows[COUNT];
static uint64_t sectors[COUNT], back[COUNT], fresh[COUNT];
static uint64_t state = 88172645463325252ull;

static uint64_t below(uint64_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % limit;
}

static void make_rows(uint32_t count, uint64_t places, uint32_t devices)
{
	for (uint32_t i = 0; i < count; i++) {
		rows[i].device = (uint32_t)below(devices);
		rows[i].bytes = below(10) ? 512 * below(64) : 0;
		sectors[i] = below(100) ? 64 * below(places) : UINT64_MAX - below(3);
	}
}

static uint32_t round_trip(struct places *p, uint32_t count)
{
	uint32_t new = places__find(p, rows, sectors, count, sectors[0], back, fresh);

	if (new == count)
		return new;
	CHECK_EQ(places_undo(rows, back, count, sectors[0], fresh, new), 0);
	CHECK(!memcmp(back, sectors, count * sizeof(*back)));
	return new;
}

static void test_round_trip(void)
{
	static const uint32_t counts[] = {1, 2, 100, 1024, 1025, COUNT};
	struct places *p = places__new();

	for (unsigned int c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
		for (uint32_t devices = 1; devices < 1000; devices *= 9) {
			make_rows(counts[c], 40, devices);
			round_trip(p, counts[c]);
			make_rows(counts[c], 1u << 30, devices);
			round_trip(p, counts[c]);
		}
	places__free(p);
}

/* Few addresses: few are new. All different: ends early. */
static void test_few_and_many_addresses(void)
{
	struct places *p = places__new();

	make_rows(COUNT, 40, 1);
	CHECK(round_trip(p, COUNT) < 60);
	for (uint32_t i = 0; i < COUNT; i++)
		sectors[i] = 100000ull * i;
	CHECK_EQ(round_trip(p, COUNT), COUNT);
	places__free(p);
}

/*
 * A loop over ten addresses: after the first turn every row refers as far back as the one before.
 */
static void test_a_repeated_loop_is_coded_as_steps(void)
{
	struct places *p = places__new();

	for (uint32_t i = 0; i < 100; i++) {
		rows[i] = (struct io_row){.bytes = 512};
		sectors[i] = 1000 * (i % 10 * 7 % 10);
	}
	CHECK_EQ(places__find(p, rows, sectors, 100, sectors[0], back, fresh), 10);
	CHECK_EQ(back[10], 20);
	for (uint32_t i = 11; i < 100; i++)
		CHECK_EQ(back[i], 1);
	CHECK_EQ(places_undo(rows, back, 100, sectors[0], fresh, 10), 0);
	CHECK(!memcmp(back, sectors, 100 * sizeof(*back)));
	places__free(p);
}

static int undo(const uint64_t *numbers, uint32_t count, uint32_t fresh_count)
{
	memcpy(back, numbers, count * sizeof(*back));
	return places_undo(rows, back, count, 0, fresh, fresh_count);
}

static void test_hostile(void)
{
	static const uint64_t before_all[] = {0, 4}, itself[] = {0, 1}, first[] = {2},
			      far[] = {0, UINT64_MAX}, good[] = {0, 2, 1, 0};

	memset(rows, 0, sizeof(rows));
	CHECK_EQ(undo(good, 4, 2), 0);
	CHECK(undo(good, 4, 1) < 0);
	CHECK(undo(good, 4, 3) < 0);
	CHECK(undo(before_all, 2, 1) < 0);
	CHECK(undo(itself, 2, 1) < 0);
	CHECK(undo(first, 1, 0) < 0);
	CHECK(undo(far, 2, 1) < 0);
}

int main(void)
{
	RUN(test_round_trip);
	RUN(test_few_and_many_addresses);
	RUN(test_a_repeated_loop_is_coded_as_steps);
	RUN(test_hostile);
	return TEST_RESULT;
}
