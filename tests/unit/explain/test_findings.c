// SPDX-License-Identifier: MIT
/* Each finding is caused by a workload made for it, and not by its opposite. */
#include "unit/explain/recordings.h"

#include <errno.h>

#include "explain/findings/thresholds.h"

static void a_plain_workload_has_no_findings(void)
{
	struct explanation *x = explain_recording(&plain);

	CHECK_EQ(x->finding_count, 0);
	for (uint32_t i = 0; i < x->finding_count; i++)
		printf("# %s: %s\n", x->findings[i].id, x->findings[i].evidence);
	explanation__free(x);
}

static void fail_one(struct io_row *row, uint32_t i)
{
	if (i == 5)
		row->error = -EIO;
}

static void losses_cuts_and_errors_are_found(void)
{
	struct recording r = plain;
	struct explanation *x;

	r.has_loss = true;
	r.loss_class = LOSS_IO_RING;
	CHECK_FOUND(&r, "losses", "(io_ring): 17.");
	CHECK_ABSENT(&plain, "losses");
	/* Rows that are there are not missing. */
	r.loss_class = LOSS_IO_EVENT;
	x = explain_recording(&r);
	REQUIRE(test_finding(x, "losses"));
	CHECK(strstr(test_finding(x, "losses")->title, "no IO is missing"));
	explanation__free(x);
	r.loss_class = LOSS_IO_RING;
	r.cut = true;
	CHECK_FOUND(&r, "incomplete-trace", "400 IOs over");
	CHECK_ABSENT(&plain, "incomplete-trace");
	r.change = fail_one;
	CHECK_FOUND(&r, "errors", "1 of 400 IOs failed; the first with \"Input/output error\"");
	CHECK_ABSENT(&plain, "errors");
	x = explain_recording(&r);
	REQUIRE(x->finding_count == 3);
	CHECK_TEXT(x->findings[0].id, "losses"); /* what makes the rest untrue comes first */
	CHECK_TEXT(x->findings[1].id, "errors");
	CHECK_TEXT(x->findings[2].id, "incomplete-trace");
	CHECK_TEXT(x->findings[1].device, "sda");
	explanation__free(x);
}

static int32_t first_error;

static void fail_first(struct io_row *row, uint32_t i)
{
	if (i < 3)
		row->error = i ? -EIO : first_error;
}

/* Who fails says where to look. */
static void errors_of_a_path_or_of_space_are_no_errors_of_the_disk(void)
{
	struct recording r = plain;
	struct explanation *x;

	r.change = fail_first;
	first_error = -EIO;
	CHECK_ADVICE(&r, "errors", "smartctl");
	first_error = -ENOLINK;
	CHECK_FOUND(&r, "path-errors",
		    "1 of 400 IOs failed; the first with \"Link has been severed");
	CHECK_FOUND(&r, "errors", "2 of 400 IOs failed");
	first_error = -ENOSPC;
	CHECK_ADVICE(&r, "no-space", "thin pool");
	first_error = -EOPNOTSUPP;
	CHECK_ADVICE(&r, "refused-ios", "Nothing is lost");
	CHECK_ABSENT(&r, "no-space");
	x = explain_recording(&r);
	CHECK(strstr(x->verdict, "IOs failed: 2 of 400 of sda."));
	CHECK_EQ(test_finding(x, "refused-ios")->severity, SEVERITY_INFO);
	explanation__free(x);
	CHECK_ABSENT(&plain, "refused-ios");
}

static void put_on_sdb(struct io_row *row, uint32_t i)
{
	row->device = 2;
}

static void small_readahead_is_found(void)
{
	struct recording r = plain;

	r.ios = "400 reads of 128k 1ms apart in sequence";
	CHECK_FOUND(&r, "readahead-small", "399 of 400 reads of file pages (100 %)");
	r.queue_ns = 0;
	r.device_ns = 900 * US;
	CHECK_ADVICE(
		&r, "device-dominates",
		"A larger readahead can help, schedulers cannot; fewer or larger IOs (see readahead-small)");
	r.change = put_on_sdb; /* whose limit is 4 MiB */
	CHECK_ADVICE(&r, "device-dominates", "Schedulers and queue settings cannot help");
	CHECK_ABSENT(&r, "readahead-small");
	r.change = NULL;
	r.ios = "400 reads of 128k 1ms apart at random in 10G";
	CHECK_ABSENT(&r, "readahead-small");
}

static void make_direct(struct io_row *row, uint32_t i)
{
	row->origin = IO_ORIGIN_DIRECT;
	row->file = 0;
}

/* As the disk below dm-crypt. */
static void make_direct_below(struct io_row *row, uint32_t i)
{
	make_direct(row, i);
	row->parent_id = i + 1;
}

static void repeated_direct_reads_are_found(void)
{
	struct recording r = plain;

	r.change = make_direct;
	r.ios = "400 reads 1ms apart in turn at 40 places";
	CHECK_FOUND(&r, "direct-io-bypass", "about 90 % of the 4 KiB blocks");
	r.change = make_direct_below;
	CHECK_ABSENT(&r, "direct-io-bypass");
	r.change = make_direct;
	r.ios = "400 reads 1ms apart 40k further each";
	CHECK_ABSENT(&r, "direct-io-bypass");
}

static void make_swapped(struct io_row *row, uint32_t i)
{
	row->origin = IO_ORIGIN_SWAP;
	row->flags = IO_SWAP;
	row->file = 0;
	row->op = i < 100 ? IO_OP_WRITE : IO_OP_READ;
}

static void short_memory_shows_in_swap(void)
{
	struct recording r = plain;

	r.change = make_swapped;
	r.device_ns = 400 * US;
	CHECK_FOUND(&r, "swapping", "300 reads of swap (1.2 MiB) took 129 ms in total");
	CHECK_FOUND(&r, "swapping", "400.0 KiB were written to swap");
	r.device_ns = 20 * US; /* compressed memory */
	CHECK_ABSENT(&r, "swapping");
	r.device_ns = 400 * US;
	r.change = NULL;
	CHECK_ABSENT(&r, "swapping");
}

/* Commits of a journal: the device flushes its cache before each. */
static void flush_before(struct io_row *row, uint32_t i)
{
	row->op = IO_OP_WRITE;
	row->flags = IO_SYNC | IO_PREFLUSH | IO_FUA;
}

static void a_flush_before_a_write_is_no_queue(void)
{
	struct recording r = plain;
	struct explanation *x;

	r.queue_ns = 300 * US;
	r.device_ns = 100 * US;
	r.change = flush_before;
	CHECK_ABSENT(&r, "queue-dominates");
	CHECK_FOUND(&r, "device-dominates", "160 ms of 160 ms of summed latency (100 %)");
	x = explain_recording(&r);
	CHECK(strstr(x->verdict, "spent 100 % of their time in the device"));
	explanation__free(x);
}

static void the_dominating_part_of_latency_is_found(void)
{
	struct recording r = plain;

	r.queue_ns = 300 * US;
	r.device_ns = 100 * US;
	CHECK_FOUND(&r, "queue-dominates", "120 ms of 160 ms of summed latency (75 %)");
	CHECK_ABSENT(&r, "device-dominates");
	r.queue_ns = 10 * US;
	r.device_ns = 90 * US;
	CHECK_FOUND(&r, "device-dominates", "36 ms of 40 ms of summed latency (90 %)");
	CHECK_ABSENT(&r, "queue-dominates");
	r.queue_ns = 3 * US; /* most of the time, but nothing that anyone would feel */
	r.device_ns = 1 * US;
	CHECK_ABSENT(&r, "queue-dominates");
	CHECK_ABSENT(&plain, "queue-dominates");
	CHECK_ABSENT(&plain, "device-dominates");
}

/* Two processes keep four IOs at the driver. */
static void alternate_tasks(struct io_row *row, uint32_t i)
{
	row->task = i % 2 ? 1 : 3;
	row->depth = 4;
	row->completed_ns += 3 * MS;
}

/* 200 at once, then one at a time: an IO met many, but the time had few. */
static void meet_many(struct io_row *row, uint32_t i)
{
	row->depth = i < 200 ? i + 1 : 1;
}

static void the_mean_in_flight_is_over_the_time_busy(void)
{
	struct recording r = plain;

	r.ios = "200 reads, 200 reads 1ms apart";
	r.queue_ns = 0;
	r.device_ns = 1 * MS;
	r.change = meet_many;
	CHECK_FOUND(&r, "device-dominates",
		    "while sda was busy, 2.0 requests were there on average.");
}

/* One process has nine tenths of the IOs, and of the time. */
static void one_task_in_ten(struct io_row *row, uint32_t i)
{
	alternate_tasks(row, i);
	row->task = i % 10 ? 1 : 3;
}

static void an_idle_device_is_found(void)
{
	struct recording r = plain;

	r.queue_ns = 1 * US;
	r.device_ns = 9 * US;
	CHECK_FOUND(&r, "storage-idle", "4 ms of 1.00 s (0.4 %)");
	CHECK_ADVICE(&r, "storage-idle", "at most 4 ms");
	CHECK_ABSENT(&r, "device-dominates");
	r.ios = "10 reads 100ms apart at random in 400M";
	CHECK_FOUND(&r, "storage-idle", "100 us of");
	r.ios = plain.ios;
	r.device_ns = 900 * US;
	CHECK_ABSENT(&r, "storage-idle");
	CHECK_ADVICE(&r, "device-dominates", "Schedulers and queue settings cannot help");
	r.change = alternate_tasks;
	CHECK_ADVICE(&r, "device-dominates", "Several processes wait behind each other's IOs");
	r.change = one_task_in_ten;
	CHECK_ADVICE(&r, "device-dominates", "Several processes wait behind each other's IOs");
	r.change = NULL;
	r.cache = cache_of(5000, 20, 0, 0, 0);
	CHECK_ADVICE(&r, "device-dominates", "only the reads that are not in the page cache");
}

static void hang(struct io_row *row, uint32_t i)
{
	if (i >= 8)
		row->completed_ns = 0;
}

/* The plain IOs end after 0.4 s. Of a device that does not answer a recording has only the kernel's counters. */
static struct explanation *with_tick_at(uint64_t time_ns, uint32_t in_flight, uint64_t lost)
{
	struct tick_row tick = {.time_ns = START_NS + time_ns, .device = 1, .in_flight = in_flight};
	const struct loss_row loss = {.count = lost, .class = LOSS_IO_RING};
	struct explainer *e = test_explainer();

	add_ios(e, &plain);
	CHECK_EQ(explainer__add_tick(e, &tick), 0);
	if (lost)
		explainer__add_loss(e, &loss);
	return test_finish(e, 10 * NSEC_PER_SEC);
}

/* Without rows. */
static struct explanation *with_counters(uint64_t ios)
{
	struct tick_row tick = {.time_ns = START_NS + 9 * NSEC_PER_SEC,
				.device = 1,
				.ios[TICK_READ] = ios,
				.in_flight = 1};
	struct explainer *e = test_explainer();

	CHECK_EQ(explainer__add_tick(e, &tick), 0);
	return test_finish(e, 10 * NSEC_PER_SEC);
}

static bool has(struct explanation *x, const char *id, const char *evidence)
{
	const struct explain_finding *finding = test_finding(x, id);
	bool found = finding && (!evidence || strstr(finding->evidence, evidence));

	explanation__free(x);
	return found;
}

static void a_device_that_does_not_answer_is_not_idle(void)
{
	struct recording r = plain;

	r.ios = "10 reads 100ms apart at random in 400M";
	CHECK_FOUND(&r, "storage-idle", "1 ms of");
	r.change = hang;
	CHECK_ABSENT(&r, "storage-idle");
	CHECK(has(with_tick_at(10 * NSEC_PER_SEC, 64, 0), "hung-ios",
		  "64 requests were in flight at the end, and none completed in the last 9.60 s"));
	CHECK(!has(with_tick_at(10 * NSEC_PER_SEC, 64, 0), "storage-idle", NULL));
	CHECK(!has(with_tick_at(10 * NSEC_PER_SEC, 64, 1), "hung-ios", NULL));
	CHECK(!has(with_tick_at(10 * NSEC_PER_SEC, 64, 1), "storage-idle", NULL));
	CHECK(!has(with_tick_at(10 * NSEC_PER_SEC, 0, 0), "hung-ios", NULL));
	CHECK(!has(with_tick_at(5 * NSEC_PER_SEC, 64, 0), "hung-ios", NULL));
	CHECK(has(with_tick_at(5 * NSEC_PER_SEC, 64, 0), "storage-idle", NULL));
	CHECK(has(with_counters(0), "hung-ios", "1 request was in flight"));
	CHECK(!has(with_counters(1), "hung-ios", NULL));
}

static void flush_storms_are_found(void)
{
	struct recording r = plain;

	r.ios = "200 times: 1 write of 64k 1ms apart, 1 flush 1ms apart";
	CHECK_FOUND(&r, "fsync-storm",
		    "200 flushes in 1.00 s (200 a second, 20 ms in all) and 200 writes");
	CHECK(!strstr(advice_of(&r, "fsync-storm"), "power-loss"));
	CHECK(!is_warning(&r, "fsync-storm"));
	r.device_ns = 300 * US;
	CHECK_ADVICE(&r, "fsync-storm", "power-loss");
	CHECK(is_warning(&r, "fsync-storm"));
	CHECK_FOUND(&r, "fsync-storm", "1.00 flushes per write");
	r.ios = "200 times: 1 flush 100us apart, 9 writes of 64k 100us apart";
	CHECK_ABSENT(&r, "fsync-storm");
	CHECK_ABSENT(&plain, "fsync-storm");
}

static void make_journal(struct io_row *row, uint32_t i)
{
	row->task = 4;
	row->flags = IO_SYNC | IO_META;
}

static void make_synchronous(struct io_row *row, uint32_t i)
{
	row->flags = IO_SYNC;
}

/* As PostgreSQL's open_datasync. */
static void make_log_of_a_program(struct io_row *row, uint32_t i)
{
	row->flags = IO_SYNC | IO_FUA;
	row->origin = IO_ORIGIN_DIRECT;
}

/* A guest's image on a raw device, through the page cache. */
static void make_written_back(struct io_row *row, uint32_t i)
{
	row->task = 6;
	row->origin = IO_ORIGIN_BLOCKDEV;
}

static void make_blocks_of_a_journal(struct io_row *row, uint32_t i)
{
	row->task = 4;
	row->origin = IO_ORIGIN_BLOCKDEV;
}

static void small_journal_writes_are_found(void)
{
	struct recording r = plain;

	r.change = make_journal;
	r.ios = "200 times: 1 write of 1M 1ms apart, 1 write 1ms apart";
	CHECK_FOUND(&r, "small-writes-journal", "200 of 400 writes (50 %)");
	r.ios = "120 times: 1 write 1ms apart, 3 writes of 1M 1ms apart";
	CHECK_ABSENT(&r, "small-writes-journal");
	r.change = make_synchronous;
	r.ios = "400 writes 1ms apart at random in 400M";
	CHECK_ABSENT(&r, "small-writes-journal");
	r.change = make_log_of_a_program;
	CHECK_ABSENT(&r, "small-writes-journal");
	r.change = make_written_back;
	CHECK_ABSENT(&r, "small-writes-journal");
	r.change = make_blocks_of_a_journal;
	CHECK_FOUND(&r, "small-writes-journal", "400 of 400 writes");
}

/* Few in a second are no load. */
static void a_journal_of_a_quiet_day_is_none(void)
{
	struct recording r = plain;
	struct explainer *e = test_explainer();
	struct explanation *x;

	r.change = make_blocks_of_a_journal;
	r.ios = "400 writes 1ms apart at random in 400M";
	add_ios(e, &r);
	x = test_finish(e, 100 * NSEC_PER_SEC);
	CHECK(!test_finding(x, "small-writes-journal"));
	explanation__free(x);
}

static void make_some_slow(struct io_row *row, uint32_t i)
{
	if (i % 40 == 0)
		row->completed_ns += 20 * MS;
}

static void make_all_slow(struct io_row *row, uint32_t i)
{
	row->completed_ns += 20 * MS;
}

static void make_large_slow(struct io_row *row, uint32_t i)
{
	if (row->bytes > 1u << 20)
		row->completed_ns += 20 * MS;
}

static void tail_latency_is_found(void)
{
	struct recording r = plain;

	r.change = make_some_slow;
	CHECK_FOUND(&r, "tail-latency", "Of 400 read IOs half took up to 100 us");
	r.change = make_all_slow;
	CHECK_ABSENT(&r, "tail-latency");
	r.ios = "20 times: 19 reads 1ms apart, 1 read of 4M 1ms apart";
	r.change = make_large_slow;
	CHECK_ABSENT(&r, "tail-latency");
}

static void make_some_small_slow(struct io_row *row, uint32_t i)
{
	if (row->bytes == 4096 && i % 40 == 0)
		row->completed_ns += 20 * MS;
}

/* A few large reads, as readahead does, are no measure for the small ones. */
static void the_tail_is_that_of_ios_of_the_usual_size(void)
{
	struct recording r = plain;

	r.ios = "20 times: 1 read of 256k 1ms apart, 24 reads 1ms apart at random in 400M";
	r.change = make_some_small_slow;
	CHECK_ABSENT(&plain, "tail-latency");
	CHECK_FOUND(&r, "tail-latency", "Of 480 read IOs of up to 4.0 KiB half took up to 100 us");
	r.change = make_large_slow; /* by 4 MiB only: none is */
	CHECK_ABSENT(&r, "tail-latency");
}

static void make_one_task_slow(struct io_row *row, uint32_t i)
{
	row->task = i % 2 ? 1 : 3;
	if (row->task == 3)
		row->completed_ns += MS;
}

static void make_two_tasks_equal(struct io_row *row, uint32_t i)
{
	row->task = i % 2 ? 1 : 3;
}

static void a_dominating_task_is_found(void)
{
	struct recording r = plain;

	r.change = make_one_task_slow;
	CHECK_FOUND(&r, "one-task-dominates", "fio (pid 200) submitted 200 of 400 IOs (50 %)");
	r.change = make_two_tasks_equal;
	CHECK_ABSENT(&r, "one-task-dominates");
	CHECK_ABSENT(&plain, "one-task-dominates"); /* it is alone */
}

static void nothing_is_found_in_trivial_amounts(void)
{
	static const struct {
		const char *ios;
		void (*change)(struct io_row *, uint32_t);
	} cases[] = {
		{"40 reads of 128k 1ms apart in sequence", NULL},
		{"40 reads 1ms apart in turn at 4 places", make_direct},
		{"20 times: 1 write of 64k 1ms apart, 1 flush 1ms apart", NULL},
		{"20 times: 1 write of 1M 1ms apart, 1 write 1ms apart", make_journal},
		{"40 reads 1ms apart at random in 400M", make_some_slow},
		{"40 reads 1ms apart at random in 400M", make_one_task_slow},
	};
	struct recording r = plain;

	r.queue_ns = 10 * MS;
	r.cache = cache_of(200, 200, 200, 0, 200);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct explanation *x;

		r.ios = cases[i].ios;
		r.change = cases[i].change;
		x = explain_recording(&r);
		CHECK_EQ(x->finding_count, 0);
		explanation__free(x);
	}
}

int main(void)
{
	RUN(a_plain_workload_has_no_findings);
	RUN(losses_cuts_and_errors_are_found);
	RUN(errors_of_a_path_or_of_space_are_no_errors_of_the_disk);
	RUN(small_readahead_is_found);
	RUN(repeated_direct_reads_are_found);
	RUN(a_flush_before_a_write_is_no_queue);
	RUN(the_dominating_part_of_latency_is_found);
	RUN(the_mean_in_flight_is_over_the_time_busy);
	RUN(an_idle_device_is_found);
	RUN(a_device_that_does_not_answer_is_not_idle);
	RUN(flush_storms_are_found);
	RUN(short_memory_shows_in_swap);
	RUN(small_journal_writes_are_found);
	RUN(a_journal_of_a_quiet_day_is_none);
	RUN(tail_latency_is_found);
	RUN(the_tail_is_that_of_ios_of_the_usual_size);
	RUN(a_dominating_task_is_found);
	RUN(nothing_is_found_in_trivial_amounts);
	return TEST_RESULT;
}
