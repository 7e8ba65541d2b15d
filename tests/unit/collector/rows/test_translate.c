// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <errno.h>

#include "collector/rows/io_order.h"
#include "collector/probes/counts.h"
#include "collector/rows/translate.h"

struct seen {
	uint64_t completed_ns[64];
	unsigned int count;
};

static int note(const struct io_event *event, void *context)
{
	struct seen *seen = context;

	seen->completed_ns[seen->count++] = event->completed_ns;
	return 0;
}

static void add(struct io_order *order, uint64_t completed_ns)
{
	struct io_event event = {.type = EVENT_IO, .completed_ns = completed_ns};

	CHECK_EQ(io_order__add(order, &event), 0);
}

static void records_come_out_in_the_order_of_completion(void)
{
	static const uint64_t given[] = {50, 10, 40, 20, 30};
	struct seen seen = {.count = 0};
	struct io_order *order;

	REQUIRE(!io_order__create(&order));
	for (unsigned int i = 0; i < 5; i++)
		add(order, given[i]);
	CHECK_EQ(io_order__release(order, UINT64_MAX, note, &seen), 0);
	CHECK_EQ(seen.count, 5);
	for (unsigned int i = 0; i < seen.count; i++)
		CHECK_EQ(seen.completed_ns[i], 10 * (i + 1));
	io_order__free(order);
}

static void later_completions_wait_for_the_next_round(void)
{
	struct seen seen = {.count = 0};
	struct io_order *order;

	REQUIRE(!io_order__create(&order));
	add(order, 30);
	add(order, 10);
	CHECK_EQ(io_order__release(order, 20, note, &seen), 0);
	CHECK_EQ(seen.count, 1);
	add(order, 25);
	CHECK_EQ(io_order__release(order, 100, note, &seen), 0);
	CHECK_EQ(seen.count, 3);
	CHECK_EQ(seen.completed_ns[0], 10);
	CHECK_EQ(seen.completed_ns[1], 25);
	CHECK_EQ(seen.completed_ns[2], 30);
	io_order__free(order);
}

/* Records that stay in place are not copied until they have to wait for another round. */
static void records_in_place_are_copied_when_they_wait(void)
{
	struct io_event events[] = {
		{.completed_ns = 40}, {.completed_ns = 10}, {.completed_ns = 30}};
	struct seen seen = {.count = 0};
	struct io_order *order;

	REQUIRE(!io_order__create(&order));
	for (unsigned int i = 0; i < 3; i++)
		CHECK_EQ(io_order__add_lasting(order, &events[i]), 0);
	add(order, 20);
	add(order, 50);
	CHECK_EQ(io_order__release(order, 20, note, &seen), 0);
	CHECK_EQ(seen.count, 2);
	memset(events, 0, sizeof(events));
	for (unsigned int until_ns = 30; until_ns <= 50; until_ns += 10)
		CHECK_EQ(io_order__release(order, until_ns, note, &seen), 0);
	CHECK_EQ(seen.count, 5);
	for (unsigned int i = 0; i < seen.count; i++)
		CHECK_EQ(seen.completed_ns[i], 10 * (i + 1));
	io_order__free(order);
}

/* Times in no order (runs of at most a few), or in order. */
static uint32_t fill(struct io_order *order, uint32_t step, uint32_t events)
{
	struct io_event event = {.type = EVENT_IO};
	uint32_t given = 0;
	int full = 0;

	while (!full && given < 2 * events) {
		event.completed_ns = 1 + (uint64_t)given * step % events;
		given++;
		full = io_order__add(order, &event);
	}
	CHECK_EQ(full, 1);
	return given;
}

static int in_order(const struct io_event *event, void *context)
{
	uint64_t *last = context;

	if (event->completed_ns < last[0])
		return -EINVAL;
	last[0] = event->completed_ns;
	last[1]++;
	return 0;
}

/* Full is reported with the last record that fits, whether that is the 32,768th record or the
 * 1,024th run, in which each record may come up to eight places too late. */
static void full_is_reported_before_a_record_is_lost(void)
{
	static const struct {
		uint32_t step, events, least, most;
	} cases[] = {{1, 32768, 32768, 32768}, {32767, 32768, 1023 * 9 + 1, 1024 * 9}};

	for (unsigned int i = 0; i < 2; i++) {
		uint64_t last[2] = {0};
		struct io_order *order;
		uint32_t given;

		REQUIRE(!io_order__create(&order));
		for (unsigned int again = 0; again < 2; again++) {
			given = fill(order, cases[i].step, cases[i].events);
			CHECK(given >= cases[i].least && given <= cases[i].most);
			last[0] = last[1] = 0;
			CHECK_EQ(io_order__release(order, UINT64_MAX, in_order, last), 0);
			CHECK_EQ(last[1], given);
		}
		io_order__free(order);
	}
}

static int refuse(const struct io_event *event, void *context)
{
	(void)event;
	(void)context;
	return -ENOSPC;
}

static void an_error_of_the_receiver_is_returned(void)
{
	struct io_order *order;

	REQUIRE(!io_order__create(&order));
	add(order, 1);
	CHECK_EQ(io_order__release(order, 10, refuse, NULL), -ENOSPC);
	io_order__free(order);
}

static void a_request_from_before_is_marked(void)
{
	struct io_event event = {
		.created_ns = 90, .issued_ns = 95, .completed_ns = 110, .bytes = 512};
	struct io_row row;

	translate__io(&event, 100, &row);
	CHECK(row.flags & IO_STARTED_BEFORE);
	CHECK(!(row.flags & IO_EVENT_MISSED));
	translate__io(&event, 50, &row);
	CHECK(!(row.flags & IO_STARTED_BEFORE));
	/* What happened before the recording is not a loss. */
	event.issued_ns = 0;
	event.flags = IO_EVENT_NO_START;
	translate__io(&event, 100, &row);
	CHECK(!(row.flags & IO_EVENT_MISSED));
	translate__io(&event, 50, &row);
	CHECK(row.flags & IO_EVENT_MISSED);
}

/* Memory is examined when the request ends. */
static void the_origin_is_unknown_without_an_end(void)
{
	struct io_event event = {
		.created_ns = 90, .issued_ns = 95, .bytes = 512, .flags = IO_EVENT_NO_END};
	struct io_row row;

	event.subject.origin = ORIGIN_NONE;
	translate__io(&event, 50, &row);
	CHECK(row.flags & IO_EVENT_MISSED);
	CHECK_EQ(row.origin, IO_ORIGIN_UNKNOWN);
	event.bytes = 0;
	translate__io(&event, 50, &row);
	CHECK_EQ(row.origin, IO_ORIGIN_NONE);
}

static void a_missed_event_is_marked(void)
{
	struct io_event event = {
		.created_ns = 200, .issued_ns = 210, .completed_ns = 220, .bytes = 4096};
	struct io_row row;

	translate__io(&event, 100, &row);
	CHECK(!(row.flags & IO_EVENT_MISSED));
	event.issued_ns = 0;
	translate__io(&event, 100, &row);
	CHECK(row.flags & IO_EVENT_MISSED);
	/* A request that only asks for a flush is never issued. */
	event.bytes = 0;
	translate__io(&event, 100, &row);
	CHECK(!(row.flags & IO_EVENT_MISSED));
	event.flags = IO_EVENT_NO_END;
	translate__io(&event, 100, &row);
	CHECK(row.flags & IO_EVENT_MISSED);
}

static void the_sector_of_no_place_is_zero(void)
{
	struct io_event event = {.sector = UINT64_MAX, .created_ns = 1};
	struct io_row row;

	translate__io(&event, 0, &row);
	CHECK_EQ(row.sector, 0);
	CHECK_EQ(row.origin, IO_ORIGIN_NONE);
}

static uint64_t lost_calls(const uint64_t misses[2][3], unsigned int programs, uint64_t done_again)
{
	struct skipped_calls skipped = {0};

	skipped_calls_add(&skipped, misses[0], programs);
	skipped_calls_add(&skipped, misses[1], programs);
	return skipped_calls_lost(&skipped, done_again);
}

static void a_call_is_lost_when_all_copies_missed_it(void)
{
	static const uint64_t misses[2][3] = {{10, 3, 5}, {20, 30, 7}};

	CHECK_EQ(lost_calls(misses, 1, 0), 30);
	CHECK_EQ(lost_calls(misses, 2, 0), 23);
	CHECK_EQ(lost_calls(misses, 3, 0), 10);
	/* Events that copies handled are not lost. */
	CHECK_EQ(lost_calls(misses, 3, 19), 10);
	CHECK_EQ(lost_calls(misses, 3, 25), 5);
	CHECK_EQ(lost_calls(misses, 3, 30), 0);
	CHECK_EQ(lost_calls(misses, 3, 31), 0);
}

int main(void)
{
	RUN(records_come_out_in_the_order_of_completion);
	RUN(later_completions_wait_for_the_next_round);
	RUN(records_in_place_are_copied_when_they_wait);
	RUN(full_is_reported_before_a_record_is_lost);
	RUN(an_error_of_the_receiver_is_returned);
	RUN(a_request_from_before_is_marked);
	RUN(the_origin_is_unknown_without_an_end);
	RUN(a_missed_event_is_marked);
	RUN(the_sector_of_no_place_is_zero);
	RUN(a_call_is_lost_when_all_copies_missed_it);
	return TEST_RESULT;
}
