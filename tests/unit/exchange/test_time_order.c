// SPDX-License-Identifier: MIT
/* Rows are sorted by time, and those that were out of order are counted. */
#include <stdbool.h>
#include <stdint.h>

#include "exchange/time_order.h"
#include "unit/shared/test.h"

/* Pushes a row and gives back what a full window lets go; `seen` counts. */
struct flow {
	struct time_order *order;
	uint64_t last_ns, out, unsorted;
};

static bool pop_one(struct flow *f)
{
	const struct io_row *row = time_order__pop(f->order);

	if (!row)
		return false;
	f->unsorted += row->created_ns < f->last_ns;
	f->last_ns = row->created_ns;
	f->out++;
	return true;
}

static void push(struct flow *f, uint64_t time_ns, uint64_t mark)
{
	struct io_row row = {.created_ns = time_ns, .sector = mark};

	if (time_order__full(f->order))
		pop_one(f);
	time_order__push(f->order, &row, 0);
}

static void drain(struct flow *f)
{
	while (pop_one(f))
		;
}

static void rows_in_order_pass(void)
{
	struct flow f = {.order = time_order__new()};

	for (uint64_t i = 1; i <= 200000; i++)
		push(&f, i, i);
	drain(&f);
	CHECK_EQ(f.out, 200000);
	CHECK_EQ(f.unsorted, 0);
	CHECK_EQ(time_order__disordered(f.order), 0);
	time_order__free(f.order);
}

/* Backwards, as far as the window reaches. */
static void a_reversed_window_is_sorted(void)
{
	struct flow f = {.order = time_order__new()};

	for (uint64_t i = TIME_ORDER_ROWS; i >= 1; i--)
		push(&f, i * 10, i);
	drain(&f);
	CHECK_EQ(f.out, TIME_ORDER_ROWS);
	CHECK_EQ(f.unsorted, 0);
	CHECK_EQ(time_order__disordered(f.order), TIME_ORDER_ROWS - 1);
	CHECK_EQ(time_order__disorder_ns(f.order), (TIME_ORDER_ROWS - 1) * 10);
	time_order__free(f.order);
}

/* Every row comes up to half a window late. */
static void shuffled_rows_are_sorted(void)
{
	struct flow f = {.order = time_order__new()};
	uint32_t random = 7;

	for (uint64_t i = 0; i < 300000; i++) {
		random = random * 1664525 + 1013904223;
		push(&f, 1000000 + i * 10 - (random >> 8) % (TIME_ORDER_ROWS / 2) * 10, i);
	}
	drain(&f);
	CHECK_EQ(f.out, 300000);
	CHECK_EQ(f.unsorted, 0);
	CHECK(time_order__disordered(f.order) > 100000);
	time_order__free(f.order);
}

/* Farther than the window: no row is lost, and each that is late is one. */
static void a_row_that_comes_too_late_is_not_lost(void)
{
	struct flow f = {.order = time_order__new()};

	for (uint64_t i = 1; i <= 3 * TIME_ORDER_ROWS; i++)
		push(&f, i + 1000, i);
	push(&f, 5, 0);
	for (uint64_t i = 3 * TIME_ORDER_ROWS + 1; i <= 4 * TIME_ORDER_ROWS; i++)
		push(&f, i + 1000, i);
	drain(&f);
	CHECK_EQ(f.out, 4 * TIME_ORDER_ROWS + 1);
	CHECK_EQ(f.unsorted, 1);
	CHECK_EQ(time_order__disordered(f.order), 1);
	time_order__free(f.order);
}

/* The worst that a file can do: one row of the far future, then everything else. */
static void one_row_of_the_far_future_delays_no_other(void)
{
	struct flow f = {.order = time_order__new()};

	push(&f, UINT64_MAX, 0);
	for (uint64_t i = 1; i <= 200000; i++)
		push(&f, i, i);
	drain(&f);
	CHECK_EQ(f.out, 200001);
	CHECK_EQ(f.unsorted, 0);
	CHECK_EQ(time_order__disordered(f.order), 200000);
	time_order__free(f.order);
}

int main(void)
{
	RUN(rows_in_order_pass);
	RUN(a_reversed_window_is_sorted);
	RUN(shuffled_rows_are_sorted);
	RUN(a_row_that_comes_too_late_is_not_lost);
	RUN(one_row_of_the_far_future_delays_no_other);
	return TEST_RESULT;
}
