// SPDX-License-Identifier: MIT
/* The conditions of a flight recorder: their meaning, to the row, and which are refused. */
#include <errno.h>

#include "base/units.h"
#include "collector/recording/trigger.h"
#include "unit/shared/test.h"

#define MS NSEC_PER_MSEC

static char why[TRIGGER_MESSAGE_MAX];

static struct trigger *parse(const char *text)
{
	struct trigger *t = NULL;

	if (trigger__parse(text, &t, why))
		printf("# '%s': %s\n", text, why);
	return t;
}

static bool add(struct trigger *t, enum io_op op, uint64_t completed_ns, uint64_t latency_ns)
{
	struct io_row row = {
		.op = op, .created_ns = completed_ns - latency_ns, .completed_ns = completed_ns};

	return trigger__add(t, &row, why);
}

static const char *refusal(const char *text)
{
	struct trigger *t;

	if (trigger__parse(text, &t, why) == -EINVAL)
		return why;
	trigger__free(t);
	return "(accepted)";
}

static void malformed_conditions_are_refused_with_a_reason(void)
{
	CHECK_TEXT(refusal(""), "names no figure: lat, stuck, p50 to p99.99, depth, iops or error");
	CHECK_TEXT(refusal("read"),
		   "names no figure: lat, stuck, p50 to p99.99, depth, iops or error");
	CHECK_TEXT(refusal("lag > 5ms"), "'lag' is neither an operation nor a figure: lat, "
					 "stuck, p50 to p99.99, depth, iops or error");
	CHECK_TEXT(refusal("read write lat > 5ms"),
		   "'write' is no figure: lat, stuck, p50 to p99.99, depth, iops or error");
	CHECK_TEXT(refusal("p100 > 5ms"), "'p100' is neither an operation nor a figure: lat, "
					  "stuck, p50 to p99.99, depth, iops or error");
	CHECK_TEXT(refusal("lat"), "lat must be followed by > and a limit");
	CHECK_TEXT(refusal("lat 5ms"), "lat must be followed by > and a limit, not by '5ms'");
	CHECK_TEXT(refusal("lat < 5ms"), "lat must be followed by > and a limit, not by '<'");
	CHECK_TEXT(refusal("iops >= 5"),
		   "iops must be followed by > or < and a limit, not by '>='");
	CHECK_TEXT(refusal("lat > 500"), "lat needs a unit after 500: ms, s ...");
	CHECK_TEXT(refusal("lat > 5parsec"), "lat needs a time such as 20ms, not '5parsec'");
	CHECK_TEXT(refusal("lat >"), "lat needs a time such as 20ms");
	CHECK_TEXT(refusal("depth > 5ms"), "depth needs a number, not '5ms'");
	CHECK_TEXT(refusal("iops < 0"), "iops can never be below 0");
	CHECK_TEXT(refusal("lat > 5ms over 1s"), "lat applies to each IO: it takes no 'over'");
	CHECK_TEXT(refusal("p99 > 5ms over 1"), "over needs a unit after 1: ms, s ...");
	CHECK_TEXT(refusal("p99 > 5ms over 2h"), "'over' takes a time from 1ms to 1h");
	CHECK_TEXT(refusal("p99 > 5ms 7"), "unexpected '7' after the condition");
	CHECK_TEXT(refusal("error > 1"), "unexpected '>' after the condition");
	CHECK_TEXT(refusal("a b c d e f g h i"),
		   "is too long for a condition such as 'read p99 > 20ms'");
}

static void latency_of_one_request_must_exceed_the_limit(void)
{
	struct trigger *t = parse("read lat>20ms");
	struct io_row unfinished = {.op = IO_OP_READ, .created_ns = 7};

	REQUIRE(t);
	CHECK(!add(t, IO_OP_READ, 1000 * MS, 20 * MS));
	CHECK(!add(t, IO_OP_WRITE, 1000 * MS, 700 * MS));
	CHECK(!trigger__add(t, &unfinished, why));
	CHECK(add(t, IO_OP_READ, 1000 * MS, 20 * MS + 1));
	CHECK_TEXT(why, "'read lat>20ms': a read took 20 ms");
	trigger__free(t);
}

static void a_percentile_is_exact_in_its_counts(void)
{
	struct trigger *t = parse("p99 > 20ms over 10s");

	REQUIRE(t);
	/* 99 fast IOs and one slow one: of a hundred, p99 is the 99th, which is fast. */
	for (unsigned int i = 0; i < 99; i++)
		CHECK(!add(t, IO_OP_READ, 1000 * MS + i, 20 * MS));
	CHECK(!add(t, IO_OP_READ, 1001 * MS, 25 * MS));
	CHECK(add(t, IO_OP_WRITE, 1002 * MS, 30 * MS));
	CHECK_TEXT(why, "'p99 > 20ms over 10s': 2 of the 101 IOs of the last 10.00 s took longer, "
			"up to 30 ms");
	trigger__free(t);
}

static void a_percentile_of_too_few_requests_never_holds(void)
{
	struct trigger *t = parse("p99 > 20ms");

	REQUIRE(t);
	for (unsigned int i = 0; i < 99; i++)
		CHECK(!add(t, IO_OP_READ, 1000 * MS + i, 900 * MS));
	CHECK(add(t, IO_OP_READ, 1001 * MS, 900 * MS));
	trigger__free(t);
}

static void old_requests_leave_the_window(void)
{
	struct trigger *t = parse("p50 > 20ms");

	REQUIRE(t);
	CHECK(!add(t, IO_OP_READ, 5000 * MS, 90 * MS));
	/* a second later the slow one has left the window */
	CHECK(!add(t, IO_OP_READ, 6000 * MS, 1 * MS));
	CHECK(!add(t, IO_OP_READ, 6001 * MS, 90 * MS));
	CHECK(add(t, IO_OP_READ, 6979 * MS, 90 * MS));
	/* and after a pause of many windows all have */
	CHECK(!add(t, IO_OP_READ, 999000 * MS, 90 * MS));
	CHECK(add(t, IO_OP_READ, 999001 * MS, 90 * MS));
	CHECK_TEXT(why, "'p50 > 20ms': 2 of the 2 IOs of the last 1.00 s took longer, up to 90 ms");
	trigger__free(t);
}

static void late_rows_do_not_move_the_window_back(void)
{
	struct trigger *t = parse("p50 > 20ms");

	REQUIRE(t);
	CHECK(!add(t, IO_OP_READ, 5000 * MS, 1 * MS));
	CHECK(!add(t, IO_OP_READ, 5500 * MS, 90 * MS));
	CHECK(add(t, IO_OP_READ, 4990 * MS, 90 * MS));
	trigger__free(t);
}

static void too_many_iops(void)
{
	struct trigger *t = parse("iops > 10 over 500ms");

	REQUIRE(t);
	for (unsigned int i = 0; i < 5; i++)
		CHECK(!add(t, IO_OP_READ, 1000 * MS + i, MS));
	CHECK(add(t, IO_OP_READ, 1001 * MS, MS));
	CHECK(!add(t, IO_OP_READ, 1600 * MS, MS));
	trigger__free(t);
}

static void too_few_iops_need_a_whole_window(void)
{
	struct trigger *t = parse("iops < 2 over 1s");

	REQUIRE(t);
	CHECK(!trigger__advance(t, 5000 * MS, why));
	CHECK(!add(t, IO_OP_READ, 5010 * MS, MS));
	CHECK(!add(t, IO_OP_READ, 5990 * MS, MS));
	CHECK(!trigger__advance(t, 5999 * MS, why));
	CHECK(!trigger__advance(t, 6000 * MS, why));
	/* the first has left the window; one is too few */
	CHECK(trigger__advance(t, 6020 * MS, why));
	CHECK_TEXT(why, "'iops < 2 over 1s': 1 IO in the last 1.00 s");
	/* the row that ends a pause reveals the pause */
	CHECK(add(t, IO_OP_READ, 9000 * MS, MS));
	CHECK_TEXT(why, "'iops < 2 over 1s': 0 IOs in the last 1.00 s");
	trigger__free(t);
}

static void stuck_holds_for_requests_in_flight(void)
{
	struct trigger *t = parse("write stuck > 30s"), *lat = parse("lat > 1s");
	struct io_row row = {
		.op = IO_OP_WRITE, .created_ns = 1000 * MS, .bytes = 4096, .sector = 808};

	REQUIRE(t && lat);
	CHECK(trigger__asks_in_flight(t) && !trigger__asks_in_flight(lat));
	CHECK(!trigger__in_flight(t, &row, 31000 * MS, why));
	CHECK(!trigger__in_flight(lat, &row, 91000 * MS, why));
	CHECK(trigger__in_flight(t, &row, 31001 * MS, why));
	CHECK_TEXT(why,
		   "'write stuck > 30s': a write of 4.0 KiB at sector 808 has been in flight for "
		   "30.00 s, not issued to the driver yet");
	row.issued_ns = 2000 * MS;
	CHECK(trigger__in_flight(t, &row, 31001 * MS, why));
	CHECK_TEXT(why,
		   "'write stuck > 30s': a write of 4.0 KiB at sector 808 has been in flight for "
		   "30.00 s");
	row.op = IO_OP_READ;
	CHECK(!trigger__in_flight(t, &row, 31001 * MS, why));
	/* created after the time of the check */
	row.op = IO_OP_WRITE;
	row.created_ns = 32000 * MS;
	CHECK(!trigger__in_flight(t, &row, 31001 * MS, why));
	/* a completed request is not stuck */
	row.completed_ns = 99000 * MS;
	CHECK(!trigger__add(t, &row, why));
	trigger__free(t);
	trigger__free(lat);
}

static void depth_and_error(void)
{
	struct trigger *depth = parse("depth > 200"), *error = parse("write error");
	struct io_row row = {.op = IO_OP_READ, .depth = 200, .error = -EIO};

	REQUIRE(depth && error);
	CHECK(!trigger__add(depth, &row, why));
	CHECK(!trigger__add(error, &row, why));
	row.depth = 201;
	row.op = IO_OP_WRITE;
	CHECK(trigger__add(depth, &row, why));
	CHECK_TEXT(why, "'depth > 200': a write was issued at depth 201");
	CHECK(trigger__add(error, &row, why));
	CHECK_TEXT(why, "'write error': a write failed: Input/output error");
	row.error = 0;
	CHECK(!trigger__add(error, &row, why));
	trigger__free(depth);
	trigger__free(error);
}

/* Whether a row with which the condition holds is told as the request that met it. */
static bool is_met(const char *text, uint64_t latency_ns, bool failed)
{
	struct io_row row = {.op = IO_OP_READ,
			     .created_ns = 5 * MS,
			     .completed_ns = 5 * MS + latency_ns,
			     .error = failed ? -EIO : 0,
			     .depth = 9};
	struct trigger *t = parse(text);
	bool met = trigger__is_met_by(t, &row);

	trigger__free(t);
	return met;
}

static void the_request_that_met_the_condition_is_told_from_a_window_that_ended(void)
{
	CHECK(is_met("read lat > 2ms", 3 * MS, false));
	CHECK(is_met("depth > 2", MS, false));
	CHECK(is_met("error", MS, true));
	CHECK(is_met("read p99 > 2ms over 5s", 3 * MS, false));
	CHECK(!is_met("read p99 > 2ms over 5s", 2 * MS, false));
	CHECK(!is_met("iops > 2", 3 * MS, false));
	CHECK(!is_met("iops < 2", 3 * MS, false));
	CHECK(!is_met("read stuck > 2ms", 3 * MS, false));
}

int main(void)
{
	RUN(malformed_conditions_are_refused_with_a_reason);
	RUN(latency_of_one_request_must_exceed_the_limit);
	RUN(a_percentile_is_exact_in_its_counts);
	RUN(a_percentile_of_too_few_requests_never_holds);
	RUN(old_requests_leave_the_window);
	RUN(late_rows_do_not_move_the_window_back);
	RUN(too_many_iops);
	RUN(too_few_iops_need_a_whole_window);
	RUN(stuck_holds_for_requests_in_flight);
	RUN(depth_and_error);
	RUN(the_request_that_met_the_condition_is_told_from_a_window_that_ended);
	return TEST_RESULT;
}
