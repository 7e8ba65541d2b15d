// SPDX-License-Identifier: MIT
/* Bins that were merged hold what bins of the double width would have counted. */
#include "report/timeline.h"
#include "base/units.h"
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#define START_NS (5 * NSEC_PER_SEC)
#define ROWS	 5000

static struct io_row row_at(uint64_t created_ns, uint64_t issued_ns, uint64_t completed_ns)
{
	return (struct io_row){.created_ns = START_NS + created_ns,
			       .issued_ns = START_NS + issued_ns,
			       .completed_ns = START_NS + completed_ns,
			       .bytes = 4096,
			       .depth = 1};
}

static void widths_are_the_smallest_that_cover_the_duration(void)
{
	CHECK_EQ(timeline_width_ns(0), 1);
	CHECK_EQ(timeline_width_ns(999), 1);
	CHECK_EQ(timeline_width_ns(1000), 2);
	CHECK_EQ(timeline_width_ns(1999), 2);
	CHECK_EQ(timeline_width_ns(2000), 5);
	CHECK_EQ(timeline_width_ns(4999), 5);
	CHECK_EQ(timeline_width_ns(5000), 10);
	CHECK_EQ(timeline_width_ns(60 * NSEC_PER_SEC), 100 * NSEC_PER_MSEC);
	CHECK_EQ(timeline_width_ns(3600 * NSEC_PER_SEC), 5 * NSEC_PER_SEC);
}

static void an_io_is_in_the_bin_of_its_creation(void)
{
	struct io_row row = row_at(2500, 3100, 4900);
	static struct timeline t;

	timeline_init(&t, START_NS, 999999); /* bins of 1 us */
	CHECK_EQ(t.width_ns, 1000);
	row.depth = 7;
	timeline_add(&t, &row, TICK_READ);
	timeline_finish(&t, 0);
	CHECK_EQ(t.load[TICK_READ].ios[2], 1);
	CHECK_EQ(t.load[TICK_READ].bytes[2], 4096);
	CHECK_EQ(t.load[TICK_WRITE].ios[2], 0);
	CHECK_EQ(t.depth_max[3], 7);
	CHECK_EQ(t.in_flight_ns[2], 0);
	CHECK_EQ(t.in_flight_ns[3], 900);
	CHECK_EQ(t.in_flight_ns[4], 900);
	CHECK_EQ(t.bins, 3);
}

static void an_io_that_spans_bins_is_in_flight_in_all_of_them(void)
{
	const struct io_row row = row_at(500, 500, 10250);
	static struct timeline t;

	timeline_init(&t, START_NS, 999999);
	timeline_add(&t, &row, TICK_WRITE);
	timeline_finish(&t, 20000);
	CHECK_EQ(t.in_flight_ns[0], 500);
	for (int i = 1; i < 10; i++)
		CHECK_EQ(t.in_flight_ns[i], 1000);
	CHECK_EQ(t.in_flight_ns[10], 250);
	CHECK_EQ(t.in_flight_ns[11], 0);
	CHECK_EQ(t.bins, 20);
}

static void times_outside_have_a_place(void)
{
	static struct timeline t;

	timeline_init(&t, START_NS, 999999);
	CHECK_EQ(timeline_bin(&t, START_NS - 1), 0);
	CHECK_EQ(timeline_doublings(&t, START_NS - 1), 0);
	CHECK_EQ(timeline_doublings(&t, START_NS + 999999), 0);
	CHECK_EQ(timeline_doublings(&t, START_NS + 1000000), 1);
	CHECK_EQ(timeline_doublings(&t, START_NS + 8000000), 4);
}

/* A trace of which the length is not known: bins double while rows come. */
static void add_growing(struct timeline *t, const struct io_row *row, enum tick_op op)
{
	for (unsigned int n = timeline_doublings(t, row->completed_ns); n; n--)
		timeline_double(t);
	timeline_add(t, row, op);
}

static struct io_row random_row(uint64_t now_ns)
{
	struct io_row row =
		row_at(now_ns, now_ns + next_random() % 500, now_ns + 500 + next_random() % 300000);

	row.depth = (uint32_t)(next_random() % 64);
	row.bytes = next_random() % 65536;
	return row;
}

static void doubling_on_the_way_changes_nothing(void)
{
	static struct timeline grown, known;
	static struct io_row rows[ROWS];
	uint64_t now_ns = 0, in_flight_ns = 0;

	timeline_init(&grown, START_NS, 1);
	CHECK_EQ(grown.width_ns, 1);
	for (int i = 0; i < ROWS; i++) {
		now_ns += next_random() % 12000;
		rows[i] = random_row(now_ns);
		add_growing(&grown, &rows[i], (enum tick_op)(i % TICK_OP_COUNT));
	}
	CHECK(grown.width_ns > 16);
	timeline_init(&known, START_NS, 0);
	known.width_ns = grown.width_ns;
	for (int i = 0; i < ROWS; i++) {
		timeline_add(&known, &rows[i], (enum tick_op)(i % TICK_OP_COUNT));
		in_flight_ns += rows[i].completed_ns - rows[i].issued_ns;
	}
	timeline_finish(&grown, 0);
	timeline_finish(&known, 0);
	CHECK_EQ(grown.bins, known.bins);
	CHECK(!memcmp(grown.load, known.load, sizeof(known.load)));
	CHECK(!memcmp(grown.depth_max, known.depth_max, sizeof(known.depth_max)));
	CHECK(!memcmp(grown.in_flight_ns, known.in_flight_ns, sizeof(known.in_flight_ns)));
	for (uint32_t i = 0; i < TIMELINE_BINS; i++)
		in_flight_ns -= known.in_flight_ns[i];
	CHECK_EQ(in_flight_ns, 0);
}

static void an_io_without_an_issue_is_in_flight_from_its_creation(void)
{
	struct io_row row = row_at(100, 0, 700);
	static struct timeline t;

	row.issued_ns = 0;
	timeline_init(&t, START_NS, 999999);
	timeline_add(&t, &row, TICK_READ);
	timeline_finish(&t, 0);
	CHECK_EQ(t.in_flight_ns[0], 600);
}

int main(void)
{
	RUN(widths_are_the_smallest_that_cover_the_duration);
	RUN(an_io_is_in_the_bin_of_its_creation);
	RUN(an_io_that_spans_bins_is_in_flight_in_all_of_them);
	RUN(times_outside_have_a_place);
	RUN(doubling_on_the_way_changes_nothing);
	RUN(an_io_without_an_issue_is_in_flight_from_its_creation);
	return TEST_RESULT;
}
