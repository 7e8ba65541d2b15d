// SPDX-License-Identifier: MIT
/* Converts events to rows: scripts of events as blkparse's text, and the expected rows. */
#include "exchange/events/block_events.h"
#include "exchange/formats/formats.h"
#include "exchange/row_source.h"
#include "unit/shared/test.h"

#define ROWS_MAX 32

struct outcome {
	struct foreign_report report;
	struct io_row rows[ROWS_MAX];
	unsigned int count;
	uint32_t devices;
};

static struct outcome run_bytes(const char *script, size_t bytes, bool one_layer)
{
	static struct outcome outcome;
	struct foreign_options options = {.one_layer = one_layer};
	struct foreign_names *names = foreign_names__new();
	struct byte_source **files = calloc(1, sizeof(*files));
	struct row_source *source;
	const char *message;
	struct io_row row;
	int result;

	memset(&outcome, 0, sizeof(outcome));
	byte_source__from_memory(script, bytes, files);
	CHECK_EQ(row_source__new(&format_blkparse, files, 1, &options, names, &outcome.report,
				 &source, &message),
		 0);
	while ((result = row_source__next(source, &row)) == 1) {
		/* Seen from the start of the trace: 0 stays "not seen". */
		row.created_ns -= row.created_ns ? FOREIGN_ORIGIN_NS : 0;
		row.issued_ns -= row.issued_ns ? FOREIGN_ORIGIN_NS : 0;
		row.completed_ns -= row.completed_ns ? FOREIGN_ORIGIN_NS : 0;
		if (outcome.count < ROWS_MAX)
			outcome.rows[outcome.count] = row;
		outcome.count++;
	}
	CHECK_EQ(result, 0);
	outcome.devices = foreign_names__devices(names);
	row_source__free(source);
	foreign_names__free(names);
	return outcome;
}

static struct outcome run(const char *script)
{
	return run_bytes(script, strlen(script), false);
}

/* Lines of events: device 8,0 on CPU 3 by process 77, with the time in ns. */
#define AT(ns, rest)	  "8,0 3 1 0.0000000" #ns " 77 " rest "\n"
#define DM_AT(ns, rest)	  "253,0 3 1 0.0000000" #ns " 77 " rest "\n"
#define LATER(time, rest) "8,0 3 1 " time " 77 " rest "\n"

static void check_times(const struct io_row *row, uint64_t created_ns, uint64_t issued_ns,
			uint64_t completed_ns)
{
	CHECK_EQ(row->created_ns, created_ns);
	CHECK_EQ(row->issued_ns, issued_ns);
	CHECK_EQ(row->completed_ns, completed_ns);
}

static void test_one_request(void)
{
	struct outcome o = run(AT(10, "Q WSM 64 + 8 [a b]]") AT(11, "G WSM 64 + 8 [a b]]") AT(
		12, "I WSM 64 + 8 [a b]]") AT(15, "D WSM 64 + 8 [kw]") AT(29, "C WSM 64 + 8 [0]"));

	CHECK_EQ(o.count, 1);
	check_times(&o.rows[0], 10, 15, 29);
	CHECK_EQ(o.rows[0].sector, 64);
	CHECK_EQ(o.rows[0].bytes, 4096);
	CHECK_EQ(o.rows[0].op, IO_OP_WRITE);
	CHECK_EQ(o.rows[0].flags, IO_SYNC | IO_META);
	CHECK_EQ(o.rows[0].cpu, 3);
	CHECK_EQ(o.rows[0].depth, 1);
	CHECK_EQ(o.rows[0].merges, 0);
	CHECK_EQ(o.rows[0].error, 0);
	CHECK_EQ(o.report.in_flight, 0);
}

static void test_merges_in_front_and_behind(void)
{
	struct outcome o =
		run(AT(10, "Q R 64 + 8 [a]") AT(11, "Q R 72 + 16 [a]") AT(12, "M R 72 + 16 [a]")
			    AT(13, "Q R 56 + 8 [a]") AT(14, "F R 56 + 8 [a]")
				    AT(15, "D R 56 + 32 [a]") AT(29, "C R 56 + 32 [0]"));

	CHECK_EQ(o.count, 1);
	check_times(&o.rows[0], 10, 15, 29);
	CHECK_EQ(o.rows[0].sector, 56);
	CHECK_EQ(o.rows[0].bytes, 32 * 512);
	CHECK_EQ(o.rows[0].merges, 2);
}

/* Both parts begin with the same bio, whichever is issued first. */
static void test_split(bool has_event, const char *first, const char *second)
{
	char script[1024];
	struct outcome o;

	snprintf(script, sizeof(script), "%s%s%s%s%s%s", AT(10, "Q R 0 + 16 [a]"),
		 has_event ? AT(11, "X R 0 / 8 [a]") : "", first, second, AT(30, "C R 8 + 8 [0]"),
		 AT(31, "C R 0 + 8 [0]"));
	o = run(script);
	CHECK_EQ(o.count, 2);
	CHECK_EQ(o.rows[0].sector, 8);
	CHECK_EQ(o.rows[1].sector, 0);
	CHECK_EQ(o.rows[0].bytes, 4096);
	CHECK_EQ(o.rows[1].bytes, 4096);
	CHECK_EQ(o.rows[0].created_ns, 10);
	CHECK_EQ(o.rows[1].created_ns, 10);
	CHECK_EQ(o.rows[0].merges + o.rows[1].merges, 0);
	CHECK_EQ(o.rows[0].depth + o.rows[1].depth, 3);
}

static void test_splits(void)
{
	test_split(true, AT(12, "D R 0 + 8 [a]"), AT(13, "D R 8 + 8 [a]"));
	test_split(true, AT(12, "D R 8 + 8 [a]"), AT(13, "D R 0 + 8 [a]"));
	test_split(false, AT(12, "D R 0 + 8 [a]"), AT(13, "D R 8 + 8 [a]"));
	test_split(false, AT(12, "D R 8 + 8 [a]"), AT(13, "D R 0 + 8 [a]"));
}

static void test_requeue(void)
{
	struct outcome o =
		run(AT(10, "Q R 0 + 8 [a]") AT(12, "D R 0 + 8 [a]") AT(13, "R R 0 + 8 [0]")
			    AT(15, "D R 0 + 8 [a]") AT(20, "C R 0 + 8 [0]") AT(30, "Q R 8 + 8 [a]")
				    AT(31, "D R 8 + 8 [a]") AT(32, "C R 8 + 8 [0]"));

	CHECK_EQ(o.count, 2);
	check_times(&o.rows[0], 10, 12, 20);
	CHECK_EQ(o.rows[0].flags, IO_REQUEUED);
	CHECK_EQ(o.rows[1].flags, 0);
	CHECK_EQ(o.rows[1].depth, 1);
}

static void test_requeue_that_is_not_in_the_trace(void)
{
	struct outcome o = run(AT(10, "Q R 0 + 8 [a]") AT(12, "D R 0 + 8 [a]")
				       AT(15, "D R 0 + 8 [a]") AT(20, "C R 0 + 8 [0]"));

	CHECK_EQ(o.count, 1);
	check_times(&o.rows[0], 10, 12, 20);
	CHECK_EQ(o.rows[0].flags, IO_REQUEUED);
}

/* While the request was requeued, another bio was merged into it. */
static void test_request_that_grows_when_requeued(void)
{
	struct outcome o = run(AT(10, "Q R 0 + 8 [a]") AT(12, "D R 0 + 8 [a]")
				       AT(13, "R R 0 + 8 [0]") AT(14, "Q R 8 + 8 [a]")
					       AT(15, "D R 0 + 16 [a]") AT(20, "C R 0 + 16 [0]"));

	CHECK_EQ(o.count, 1);
	CHECK_EQ(o.rows[0].bytes, 16 * 512);
	CHECK_EQ(o.rows[0].merges, 1);
}

static void test_partial_completions(void)
{
	struct outcome o = run(AT(10, "Q W 0 + 24 [a]") AT(12, "D W 0 + 24 [a]") AT(
		20, "C W 0 + 8 [0]") AT(21, "C W 8 + 8 [65531]") AT(25, "C W 16 + 8 [0]"));

	CHECK_EQ(o.count, 1);
	check_times(&o.rows[0], 10, 12, 25);
	CHECK_EQ(o.rows[0].sector, 0);
	CHECK_EQ(o.rows[0].bytes, 24 * 512);
	CHECK_EQ(o.rows[0].error, -5);
}

/* 16 bits of a negative errno; older kernels wrote a positive one; other tools print a sign. */
static void test_errors(void)
{
	struct outcome o = run(AT(20, "C R 0 + 8 [65531]") AT(21, "C R 8 + 8 [5]")
				       AT(22, "C R 16 + 8 [-5]") AT(23, "C R 24 + 8 [0]"));

	CHECK_EQ(o.count, 4);
	for (unsigned int i = 0; i < 3; i++)
		CHECK_EQ(o.rows[i].error, -5);
	CHECK_EQ(o.rows[3].error, 0);
}

/* fsync: an empty write, and the flush that the kernel makes of it. */
static void test_empty_flush(void)
{
	struct outcome o = run(AT(10, "Q FWS [a]") AT(11, "G FWS [a]") AT(12, "D FN [kw]")
				       AT(20, "C FN 0 [0]") AT(21, "C WS 0 [0]"));

	CHECK_EQ(o.count, 2);
	check_times(&o.rows[0], 0, 12, 20);
	CHECK_EQ(o.rows[0].op, IO_OP_FLUSH);
	CHECK_EQ(o.rows[0].flags, IO_FLUSH_MACHINERY);
	check_times(&o.rows[1], 10, 0, 21);
	CHECK_EQ(o.rows[1].op, IO_OP_WRITE);
	CHECK_EQ(o.rows[1].flags, IO_PREFLUSH | IO_SYNC);
}

/* A journal commit: the kernel removes the F before the issue, and completes the write twice. */
static void test_flush_with_data(void)
{
	struct outcome o =
		run(AT(10, "Q FWFSM 8 + 8 [a]") AT(12, "D FN [kw]") AT(20, "C FN 0 [0]")
			    AT(21, "D WSM 8 + 8 [kw]") AT(30, "C WSM 8 + 8 [0]") AT(31, "D FN [kw]")
				    AT(40, "C FN 0 [0]") AT(41, "C WSM 16 [0]"));

	CHECK_EQ(o.count, 3);
	CHECK_EQ(o.rows[1].op, IO_OP_WRITE);
	CHECK_EQ(o.rows[1].flags, IO_PREFLUSH | IO_FUA | IO_SYNC | IO_META);
	check_times(&o.rows[1], 10, 21, 30);
	CHECK_EQ(o.rows[2].flags, IO_FLUSH_MACHINERY);
	CHECK_EQ(o.report.in_flight, 0);
}

static void test_other_operations(void)
{
	struct outcome o =
		run(AT(10, "Q DS 8 + 8 [a]") AT(11, "Q DE 16 + 8 [a]") AT(12, "Q WZ 24 + 8 [a]")
			    AT(13, "Q ZR [a]") AT(14, "Q RA 32 + 8 [a]") AT(15, "Q ZA 40 + 8 [a]")
				    AT(16, "D R 96 (12 00 ..) [a]") AT(17, "C R (12 00 ..) [0]"));

	CHECK_EQ(o.count, 7);
	CHECK_EQ(o.rows[0].op, IO_OP_PASSTHROUGH); /* completed, the others are not */
	CHECK_EQ(o.rows[0].bytes, 96);
	CHECK_EQ(o.rows[1].op, IO_OP_DISCARD);
	CHECK_EQ(o.rows[2].op, IO_OP_SECURE_ERASE);
	CHECK_EQ(o.rows[3].op, IO_OP_WRITE_ZEROES);
	CHECK_EQ(o.rows[4].op, IO_OP_ZONE_RESET);
	CHECK_EQ(o.rows[5].flags, IO_RAHEAD);
	CHECK_EQ(o.rows[6].op, IO_OP_ZONE_APPEND);
}

static void test_only_bios(void)
{
	struct outcome o =
		run(AT(10, "Q R 0 + 8 [a]") AT(11, "Q R 8 + 8 [a]") AT(12, "Q R 0 + 8 [a]"));

	CHECK_EQ(o.count, 3);
	check_times(&o.rows[0], 10, 0, 0);
	check_times(&o.rows[2], 12, 0, 0);
	CHECK_EQ(o.report.in_flight, 0);
}

static void test_only_issues(void)
{
	struct outcome o = run(AT(10, "D R 0 + 8 [a]") AT(11, "D R 0 + 8 [a]") AT(12, "D FN [a]"));

	CHECK_EQ(o.count, 3);
	check_times(&o.rows[1], 0, 11, 0);
	CHECK_EQ(o.rows[2].flags, 0); /* no other flags */
	CHECK_EQ(o.rows[2].depth, 0);
	CHECK_EQ(o.report.in_flight, 0);
}

static void test_only_completions(void)
{
	struct outcome o =
		run(AT(10, "C R 0 + 8 [0]") AT(11, "C R 0 + 8 [0]") AT(12, "C WS 0 [0]"));

	CHECK_EQ(o.count, 2);
	check_times(&o.rows[1], 0, 0, 11);
}

static void test_issues_and_completions(void)
{
	struct outcome o = run(AT(10, "D R 0 + 8 [a]") AT(11, "D R 8 + 8 [a]")
				       AT(12, "C R 8 + 8 [0]") AT(13, "C R 0 + 8 [0]"));

	CHECK_EQ(o.count, 2);
	check_times(&o.rows[0], 0, 11, 12);
	CHECK_EQ(o.rows[0].depth, 2);
	check_times(&o.rows[1], 0, 10, 13);
}

/* Devices without requests; a bio may be completed in parts that were split off it. */
static void test_bios_and_completions(void)
{
	struct outcome o = run(AT(10, "Q R 0 + 16 [a]") AT(11, "Q W 99 + 8 [a]") AT(
		20, "C R 8 + 8 [0]") AT(21, "C R 0 + 8 [0]") AT(22, "C W 99 + 8 [0]"));

	CHECK_EQ(o.count, 3);
	check_times(&o.rows[0], 10, 0, 20);
	check_times(&o.rows[1], 10, 0, 21);
	check_times(&o.rows[2], 11, 0, 22);
}

/* Two readers of one sector are two IOs, and the longer one is not taken for the shorter. */
static void test_same_sector(void)
{
	struct outcome o = run(AT(10, "Q R 0 + 8 [a]") AT(11, "Q R 0 + 16 [a]")
				       AT(12, "D R 0 + 16 [a]") AT(13, "D R 0 + 8 [a]")
					       AT(14, "C R 0 + 8 [0]") AT(15, "C R 0 + 16 [0]"));

	CHECK_EQ(o.count, 2);
	check_times(&o.rows[0], 10, 13, 14);
	check_times(&o.rows[1], 11, 12, 15);
}

static void test_in_flight_at_the_end(void)
{
	struct outcome o =
		run(AT(10, "Q R 0 + 8 [a]") AT(11, "D R 0 + 8 [a]") AT(12, "C R 0 + 8 [0]")
			    AT(13, "Q W 0 + 8 [a]") AT(14, "Q W 8 + 8 [a]") AT(15, "M W 8 + 8 [a]")
				    AT(16, "Q R 64 + 8 [a]") AT(17, "D R 64 + 8 [a]"));

	CHECK_EQ(o.count, 3);
	check_times(&o.rows[1], 13, 0, 0);
	CHECK_EQ(o.rows[1].bytes, 16 * 512); /* with the merged bio */
	CHECK_EQ(o.rows[1].merges, 1);
	check_times(&o.rows[2], 16, 17, 0);
	CHECK_EQ(o.report.in_flight, 2);
}

/* Bios of one discard need not be contiguous: the second is in the request of the first. */
static void test_merged_discards(void)
{
	struct outcome o = run(AT(10, "Q D 0 + 8 [a]") AT(11, "Q D 640 + 8 [a]") AT(
		12, "M D 640 + 8 [a]") AT(13, "D D 0 + 16 [a]") AT(14, "C D 0 + 16 [0]"));

	CHECK_EQ(o.count, 1);
	CHECK_EQ(o.rows[0].bytes, 16 * 512);
	CHECK_EQ(o.report.in_flight, 0);
}

/* Emitted after a minute; later events make no second row. */
static void test_timeout(void)
{
	struct outcome o =
		run(LATER("1.0", "Q R 0 + 8 [a]") LATER("1.1", "D R 0 + 8 [a]")
			    LATER("30.0", "C R 99 + 8 [0]") LATER("62.0", "C R 107 + 8 [0]")
				    LATER("63.0", "C R 0 + 8 [0]") LATER("64.0", "C R 9 + 8 [0]"));

	CHECK_EQ(o.count, 4);
	CHECK_EQ(o.rows[2].completed_ns, 0); /* behind the row that showed its lateness */
	CHECK_EQ(o.rows[2].issued_ns, 1100000000);
	CHECK_EQ(o.rows[3].sector, 9);
	CHECK_EQ(o.report.in_flight, 0);
}

static void test_too_many_pending(void)
{
	enum {
		EVENTS = BLOCK_PENDING_MAX + 1000,
		LINE = 64
	};
	char *script = malloc((size_t)EVENTS * LINE);
	size_t bytes = 0;
	struct outcome o;

	REQUIRE(script);
	for (unsigned int i = 0; i < EVENTS; i++)
		bytes += (size_t)snprintf(script + bytes, LINE, "8,0 0 1 0.%09u 7 Q R %u + 8 [a]\n",
					  i, 8 * i);
	o = run_bytes(script, bytes, false);
	free(script);
	CHECK_EQ(o.count, EVENTS);
	CHECK_EQ(o.rows[1].sector, 8); /* the oldest first */
}

#define STACKED                              \
	DM_AT(10, "Q W 0 + 8 [a]")           \
	AT(11, "A W 1000 + 8 <- (253,0) 0")  \
	AT(12, "A W 3048 + 8 <- (8,1) 1000") \
	AT(13, "Q W 3048 + 8 [a]")           \
	AT(14, "D W 3048 + 8 [a]")           \
	AT(15, "C W 3048 + 8 [0]")           \
	DM_AT(16, "C W 0 + 8 [0]")           \
	AT(20, "A R 2049 + 8 <- (8,1) 1")    \
	AT(21, "Q R 2049 + 8 [a]") AT(22, "D R 2049 + 8 [a]") AT(23, "C R 2049 + 8 [0]")

static void test_stacked_devices(void)
{
	struct outcome o = run(STACKED);

	CHECK_EQ(o.count, 3);
	CHECK_EQ(o.devices, 2);
	CHECK(strstr(o.report.notes[0], "253:0 on 8:0"));
	o = run_bytes(STACKED, strlen(STACKED), true);
	CHECK_EQ(o.count, 2);
	check_times(&o.rows[0], 10, 0, 16);  /* the device above */
	check_times(&o.rows[1], 21, 22, 23); /* not from the device above */
	CHECK_EQ(o.report.left_out[LEFT_OUT_LOWER], 1);
	CHECK_EQ(o.report.note_count, 0);
}

/* A partition is no device below another. */
static void test_partition(void)
{
	struct outcome o = run(AT(20, "A R 2049 + 8 <- (8,1) 1") AT(21, "Q R 2049 + 8 [a]")
				       AT(22, "D R 2049 + 8 [a]") AT(23, "C R 2049 + 8 [0]"));

	CHECK_EQ(o.count, 1);
	CHECK_EQ(o.report.note_count, 0);
}

static void test_lines_that_are_no_events(void)
{
	static const char text[] = "Input file sda.blktrace.0 added\n" AT(
		10, "m N hello [Q R 0 + 8]") AT(11, "P N [a]") AT(12, "U N [a] 1")
		AT(13, "UT N [a] 1") AT(14, "Q R 0 + 8 (    12) [a]")
			AT(15, "C R 0 + 8 (   120) [0]") "\n"
							 "dd (77, ...)\n"
							 " Reads Queued:  1, 4KiB\n"
							 "CPU3 (8,0):\n"
							 " Reads Queued:  1, 4KiB\n"
							 "Events (8,0): 4 entries\n";
	struct outcome o = run(text);

	CHECK_EQ(o.count, 1);
	check_times(&o.rows[0], 14, 0, 15);
	CHECK_EQ(o.report.bad_records, 0);
	o = run(AT(10, "Q R 0 + 8 [a]") "gibberish\n" AT(11, "Q R 0 + [a]") AT(12, "C R 0 + 8"));
	CHECK_EQ(o.count, 1);
	CHECK_EQ(o.report.bad_records, 3);
	CHECK_TEXT(o.report.bad_where, "memory, line 2");
}

int main(void)
{
	RUN(test_one_request);
	RUN(test_merges_in_front_and_behind);
	RUN(test_splits);
	RUN(test_requeue);
	RUN(test_requeue_that_is_not_in_the_trace);
	RUN(test_request_that_grows_when_requeued);
	RUN(test_partial_completions);
	RUN(test_errors);
	RUN(test_empty_flush);
	RUN(test_flush_with_data);
	RUN(test_other_operations);
	RUN(test_only_bios);
	RUN(test_only_issues);
	RUN(test_only_completions);
	RUN(test_issues_and_completions);
	RUN(test_bios_and_completions);
	RUN(test_same_sector);
	RUN(test_in_flight_at_the_end);
	RUN(test_merged_discards);
	RUN(test_timeout);
	RUN(test_too_many_pending);
	RUN(test_stacked_devices);
	RUN(test_partition);
	RUN(test_lines_that_are_no_events);
	return TEST_RESULT;
}
