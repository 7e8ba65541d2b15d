// SPDX-License-Identifier: MIT
#include "base/units.h"
#include "compare/exact.h"
#include "compare/overlap_order.h"
#include "base/ioprio.h"
#include "unit/shared/test.h"

#define RANGES 300u

static struct io_row row(enum io_op op, uint64_t sector, uint64_t sectors, uint32_t flags)
{
	return (struct io_row){.op = (uint8_t)op,
			       .sector = sector,
			       .bytes = sectors * SECTOR_BYTES,
			       .flags = flags};
}

static void add(struct exact_list *list, struct io_row r)
{
	CHECK_EQ(exact_list__add(list, &r), 0);
}

static void compare(struct exact_list *a, struct exact_list *b, struct exact_differences *d)
{
	CHECK_EQ(exact_compare(a, b, d), 0);
	exact_list__free(a);
	exact_list__free(b);
}

static void a_flush_before_a_write_is_an_io_of_its_own(void)
{
	struct exact_list a = {0}, b = {0};
	struct exact_differences d;

	add(&a, row(IO_OP_WRITE, 8, 8, IO_PREFLUSH | IO_FUA));
	add(&a, row(IO_OP_WRITE, 0, 0, IO_PREFLUSH));
	add(&b, row(IO_OP_FLUSH, 0, 0, IO_PREFLUSH));
	add(&b, row(IO_OP_WRITE, 8, 8, IO_FUA | IO_SYNC));
	add(&b, row(IO_OP_FLUSH, 0, 0, 0));
	compare(&a, &b, &d);
	CHECK_EQ(d.a_ios, 3);
	CHECK_EQ(d.b_ios, 3);
	CHECK_EQ(exact_differences__total(&d), 0);
}

static void each_kind_of_difference_is_counted_apart(void)
{
	struct exact_list a = {0}, b = {0};
	struct io_row idle, none;
	struct exact_differences d;

	add(&a, row(IO_OP_READ, 1000, 8, 0)); /* the same */
	add(&b, row(IO_OP_READ, 1000, 8, 0));
	add(&a, row(IO_OP_DISCARD, 0, 8, 0)); /* another op */
	add(&b, row(IO_OP_WRITE_ZEROES, 0, 8, 0));
	add(&a, row(IO_OP_WRITE, 100, 8, IO_FUA)); /* other flags */
	add(&b, row(IO_OP_WRITE, 100, 8, 0));
	add(&a, row(IO_OP_WRITE, 128, 16, IO_ATOMIC));
	add(&b, row(IO_OP_WRITE, 128, 16, 0));
	add(&a, row(IO_OP_READ, 200, 1ull << 40, 0)); /* another size, of 64 bits */
	add(&b, row(IO_OP_READ, 200, (1ull << 40) + 1, 0));
	idle = row(IO_OP_READ, 400, 8, 0);
	idle.ioprio = ioprio_make(IO_CLASS_IDLE, 0);
	add(&a, idle); /* another priority */
	add(&b, row(IO_OP_READ, 400, 8, 0));
	none = row(IO_OP_DISCARD, 500, 8, 0);
	add(&a, none); /* one that a discard does not have */
	none.ioprio = idle.ioprio;
	add(&b, none);
	none = row(IO_OP_WRITE, 600, 8, 0);
	add(&a, none); /* what it comes to is the same */
	none.ioprio = ioprio_make(IO_CLASS_BEST_EFFORT, 4);
	add(&b, none);
	add(&a, row(IO_OP_READ, 300, 8, 0)); /* missing */
	add(&b, row(IO_OP_READ, 301, 8, 0)); /* added */
	compare(&a, &b, &d);
	CHECK_EQ(d.counts[EXACT_OP], 1);
	CHECK_EQ(d.counts[EXACT_PRIORITY], 1);
	CHECK_EQ(d.counts[EXACT_FLAGS], 2);
	CHECK_EQ(d.counts[EXACT_SIZE], 1);
	CHECK_EQ(d.counts[EXACT_MISSING], 1);
	CHECK_EQ(d.counts[EXACT_ADDED], 1);
	CHECK_EQ(d.counts[EXACT_ORDER], 0);
	CHECK_EQ(exact_differences__total(&d), 7);
	CHECK_EQ(d.example_count, 7);
}

static void only_the_order_of_overlapping_ios_counts(void)
{
	struct exact_list a = {0}, b = {0};
	struct exact_differences d;

	add(&a, row(IO_OP_WRITE, 0, 8, 0));
	add(&a, row(IO_OP_READ, 8, 8, 0));
	add(&a, row(IO_OP_WRITE, 15, 2, 0));
	add(&b, row(IO_OP_WRITE, 15, 2, 0)); /* before the read that it overlaps */
	add(&b, row(IO_OP_READ, 8, 8, 0));
	add(&b, row(IO_OP_WRITE, 0, 8, 0)); /* touches the read, but does not overlap it */
	compare(&a, &b, &d);
	CHECK_EQ(d.counts[EXACT_ORDER], 1);
	CHECK_EQ(exact_differences__total(&d), 1);
	CHECK_EQ(d.examples[0].kind, EXACT_ORDER);
	CHECK_EQ(d.examples[0].b.offset_bytes, 8 * SECTOR_BYTES);
}

static void equal_ios_are_paired_in_their_order(void)
{
	struct exact_list a = {0}, b = {0};
	struct exact_differences d;

	for (unsigned int i = 0; i < 100; i++) {
		add(&a, row(i % 3 ? IO_OP_WRITE : IO_OP_READ, 0, 8, 0));
		add(&b, row(i % 3 ? IO_OP_WRITE : IO_OP_READ, 0, 8, 0));
	}
	compare(&a, &b, &d);
	CHECK_EQ(exact_differences__total(&d), 0);
}

static void two_empty_traces_are_equal(void)
{
	struct exact_list a = {0}, b = {0};
	struct exact_differences d;

	compare(&a, &b, &d);
	CHECK_EQ(exact_differences__total(&d), 0);
	add(&a, row(IO_OP_READ, 0, 8, 0));
	compare(&a, &b, &d);
	CHECK_EQ(d.counts[EXACT_MISSING], 1);
}

/* Against the definition, pair by pair. */
static void order_of_overlaps_by_brute_force(void)
{
	static uint64_t from[RANGES], length[RANGES], rank[RANGES];
	struct overlap_order *order;
	unsigned int late = 0;

	srand(7);
	CHECK_EQ(overlap_order__create(&order), 0);
	for (unsigned int i = 0; i < RANGES; i++) {
		from[i] = (uint64_t)rand() % 5000;
		length[i] = 1 + (uint64_t)rand() % (i % 10 ? 20 : 1000);
		rank[i] = i + (uint64_t)rand() % 30;
		CHECK_EQ(overlap_order__reserve(order, from[i], length[i]), 0);
	}
	CHECK_EQ(overlap_order__begin(order), 0);
	for (unsigned int i = 0; i < RANGES; i++) {
		bool is_late = false;

		for (unsigned int j = 0; j < i; j++)
			is_late |= rank[j] > rank[i] && from[j] < from[i] + length[i] &&
				   from[i] < from[j] + length[j];
		CHECK_EQ(overlap_order__add(order, from[i], length[i], (uint32_t)rank[i]), is_late);
		late += is_late;
	}
	overlap_order__free(order);
	CHECK(late > 10 && late < RANGES / 2);
}

int main(void)
{
	RUN(a_flush_before_a_write_is_an_io_of_its_own);
	RUN(each_kind_of_difference_is_counted_apart);
	RUN(only_the_order_of_overlapping_ios_counts);
	RUN(equal_ios_are_paired_in_their_order);
	RUN(two_empty_traces_are_equal);
	RUN(order_of_overlaps_by_brute_force);
	return TEST_RESULT;
}
