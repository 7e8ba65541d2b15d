// SPDX-License-Identifier: MIT
/* Cells of latency and address: their borders, and that merging loses no IO. */
#include "report/address_map.h"
#include "report/timeline.h"
#include "base/units.h"
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#include <math.h>

static uint64_t sum_of(const struct heat_map *h, enum tick_op op)
{
	uint64_t sum = 0;

	for (size_t i = 0; h->cells[op] && i < (size_t)TIMELINE_BINS * h->rows; i++)
		sum += h->cells[op][i];
	return sum;
}

static uint32_t cell(const struct heat_map *h, enum tick_op op, uint32_t bin, uint32_t row)
{
	return h->cells[op][(size_t)bin * h->rows + row];
}

static void rows_of_latency_begin_at_eighths_of_an_octave(void)
{
	CHECK_EQ(latency_row(0), 0);
	CHECK_EQ(latency_row(1), 0);
	CHECK_EQ(latency_row(UINT64_MAX), LATENCY_ROWS - 1);
	/* The first whole number at or above 2^(n/8); small ones have no such number in each row. */
	for (uint32_t row = 16 * LATENCY_OCTAVE_ROWS; row < 50 * LATENCY_OCTAVE_ROWS; row++) {
		uint64_t begin = (uint64_t)ceill(exp2l((long double)row / LATENCY_OCTAVE_ROWS));

		/* The table has 31 bits behind the point. */
		CHECK_EQ(latency_row(begin + (begin >> 30)), row);
		CHECK_EQ(latency_row(begin - 1 - (begin >> 30)), row - 1);
	}
}

static void a_map_has_no_cells_before_its_first_io(void)
{
	struct heat_map h = {.rows = 4};
	uint32_t lowest, highest;

	CHECK(!heat_map_range(&h, &lowest, &highest));
	REQUIRE(!heat_map_add(&h, TICK_WRITE, 999, 2, 5));
	CHECK(!h.cells[TICK_READ]);
	CHECK_EQ(cell(&h, TICK_WRITE, 999, 2), 5);
	CHECK(heat_map_range(&h, &lowest, &highest));
	CHECK_EQ(lowest, 2);
	CHECK_EQ(highest, 2);
	REQUIRE(!heat_map_add(&h, TICK_READ, 0, 1, 1));
	CHECK(heat_map_range(&h, &lowest, &highest));
	CHECK_EQ(lowest, 1);
	/* A count does not begin again at 0. */
	REQUIRE(!heat_map_add(&h, TICK_WRITE, 999, 2, UINT64_MAX));
	CHECK_EQ(cell(&h, TICK_WRITE, 999, 2), UINT32_MAX);
	heat_map_release(&h);
}

static void merged_bins_hold_the_sums(void)
{
	struct heat_map fine = {.rows = 8}, coarse = {.rows = 8};

	for (int i = 0; i < 3000; i++) {
		uint32_t bin = (uint32_t)(next_random() % TIMELINE_BINS),
			 row = (uint32_t)(next_random() % 8);

		REQUIRE(!heat_map_add(&fine, TICK_READ, bin, row, 1));
		REQUIRE(!heat_map_add(&coarse, TICK_READ, bin / 2, row, 1));
	}
	heat_map_double_bins(&fine);
	CHECK(!memcmp(fine.cells[TICK_READ], coarse.cells[TICK_READ],
		      (size_t)TIMELINE_BINS * 8 * sizeof(uint32_t)));
	CHECK_EQ(sum_of(&fine, TICK_READ), 3000);
	heat_map_release(&fine);
	heat_map_release(&coarse);
}

static void merged_rows_lie_in_the_half_that_was_asked_for(void)
{
	struct heat_map h = {.rows = 4};

	for (uint32_t row = 0; row < 4; row++)
		REQUIRE(!heat_map_add(&h, TICK_READ, 3, row, 1u << row));
	heat_map_double_rows(&h, false);
	CHECK_EQ(cell(&h, TICK_READ, 3, 0), 1 + 2);
	CHECK_EQ(cell(&h, TICK_READ, 3, 1), 4 + 8);
	CHECK_EQ(cell(&h, TICK_READ, 3, 2), 0);
	heat_map_double_rows(&h, true);
	CHECK_EQ(cell(&h, TICK_READ, 3, 0), 0);
	CHECK_EQ(cell(&h, TICK_READ, 3, 2), 15);
	CHECK_EQ(cell(&h, TICK_READ, 3, 3), 0);
	heat_map_release(&h);
}

static void addresses_are_in_the_row_that_covers_them(void)
{
	static const uint64_t first[] = {0, 4096, 1ull << 40, 12345 * 4096ull};
	uint64_t addresses[200];

	for (size_t f = 0; f < sizeof(first) / sizeof(first[0]); f++) {
		struct address_map a;
		uint64_t counted = 0;

		address_map_init(&a, 1, first[f]);
		for (int i = 0; i < 200; i++) {
			addresses[i] = i ? next_random() % (1ull << (12 + i / 6)) : first[f];
			REQUIRE(!address_map_add(&a, TICK_READ, 0, addresses[i]));
		}
		CHECK_EQ(a.ios, 200);
		CHECK_EQ(sum_of(&a.map, TICK_READ), 200);
		CHECK_EQ(a.row_bytes % PAGE_BYTES, 0);
		for (int i = 0; i < 200; i++) {
			uint64_t row = (addresses[i] - a.base_bytes) / a.row_bytes;

			REQUIRE(addresses[i] >= a.base_bytes);
			REQUIRE(row < ADDRESS_ROWS);
			CHECK(cell(&a.map, TICK_READ, 0, (uint32_t)row) > 0);
		}
		for (uint32_t row = 0; row < ADDRESS_ROWS; row++)
			for (int i = 0; i < 200; i++)
				counted += (addresses[i] - a.base_bytes) / a.row_bytes == row;
		CHECK_EQ(counted, 200);
		address_map_release(&a);
	}
}

static void any_two_addresses_fit(void)
{
	struct address_map a;

	address_map_init(&a, 1, UINT64_MAX / 512 * 512);
	CHECK(!address_map_add(&a, TICK_WRITE, 0, UINT64_MAX));
	CHECK(!address_map_add(&a, TICK_WRITE, 0, 0));
	CHECK_EQ(sum_of(&a.map, TICK_WRITE), 2);
	address_map_release(&a);
}

int main(void)
{
	RUN(rows_of_latency_begin_at_eighths_of_an_octave);
	RUN(a_map_has_no_cells_before_its_first_io);
	RUN(merged_bins_hold_the_sums);
	RUN(merged_rows_lie_in_the_half_that_was_asked_for);
	RUN(addresses_are_in_the_row_that_covers_them);
	RUN(any_two_addresses_fit);
	return TEST_RESULT;
}
