// SPDX-License-Identifier: MIT
/* Each figure of devices and groups in explain against values computed by hand. */
#include <string.h>

#include "unit/explain/made_traces.h"

static void rows_map_to_the_kernels_columns(void)
{
	static const struct {
		uint8_t op;
		uint32_t flags;
		uint64_t bytes;
	} rows[] = {
		{IO_OP_READ, 0, 4096},
		{IO_OP_READ, 0, 8192},
		{IO_OP_WRITE, 0, 512},
		{IO_OP_WRITE, IO_PREFLUSH, 0}, /* a write of nothing, as the kernel counts */
		{IO_OP_WRITE, IO_PREFLUSH | IO_FUA, 4096},
		{IO_OP_WRITE_ZEROES, 0, 65536},
		{IO_OP_SECURE_ERASE, 0, 1024},
		{IO_OP_ZONE_RESET, 0, 0},
		{IO_OP_DISCARD, 0, 1048576},
		{IO_OP_FLUSH, IO_FLUSH_MACHINERY, 0},
		{IO_OP_FLUSH, IO_FLUSH_MACHINERY, 0},
		{IO_OP_PASSTHROUGH, 0, 36},
	};
	struct explainer *e = test_explainer();
	const struct explain_device *d;
	struct explanation *x;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct io_row row = test_read(START_NS + i * MS, 1000 * i);

		row.op = rows[i].op;
		row.flags = rows[i].flags;
		row.bytes = rows[i].bytes;
		row.merges = 1;
		row.completed_ns = row.created_ns + 2 * MS;
		test_add(e, row);
	}
	x = test_finish(e, NSEC_PER_SEC);
	REQUIRE(x->device_count == 1);
	d = x->devices[0];
	CHECK_TEXT(d->info.name, "sda");
	CHECK_EQ(d->counted[TICK_READ].ios, 2);
	CHECK_EQ(d->counted[TICK_READ].bytes, 12288);
	CHECK_EQ(d->counted[TICK_READ].merges, 2);
	CHECK_EQ(d->counted[TICK_READ].ticks_ms, 4);
	CHECK_EQ(d->counted[TICK_WRITE].ios, 6);
	CHECK_EQ(d->counted[TICK_WRITE].bytes, 512 + 4096 + 65536 + 1024);
	CHECK_EQ(d->counted[TICK_DISCARD].ios, 1);
	CHECK_EQ(d->counted[TICK_DISCARD].bytes, 1048576);
	CHECK_EQ(d->counted[TICK_FLUSH].ios, 2);
	CHECK_EQ(d->flush_requests, 1);
	CHECK_EQ(d->flushes_requested, 2);
	CHECK_EQ(d->passthrough_ios, 1);
	CHECK_EQ(x->io_rows, 12);
	/* 11 requests of 2 ms, each begun 1 ms after the one before: 12 ms without a gap */
	CHECK_EQ(d->busy_ns, 12 * MS);
	CHECK_EQ(d->in_queue_ns, 22 * MS);
	CHECK(d->agreement == AGREEMENT_UNKNOWN);
	explanation__free(x);
}

static void latency_is_split_and_unknown_times_are_left_out(void)
{
	struct explainer *e = test_explainer();
	const struct explain_device *d;
	struct explanation *x;
	struct io_row row;

	test_add(e, test_read(START_NS, 0));
	row = test_read(START_NS + MS, 80);
	row.issued_ns = 0; /* total known, its parts not */
	test_add(e, row);
	row = test_read(START_NS + 2 * MS, 160);
	row.created_ns = 0;
	row.flags = IO_STARTED_BEFORE;
	test_add(e, row);
	row = test_read(START_NS + 3 * MS, 240);
	row.issued_ns = row.completed_ns + 1; /* cannot be */
	test_add(e, row);
	x = test_finish(e, NSEC_PER_SEC);
	d = x->devices[0];
	CHECK_EQ(d->counted[TICK_READ].ios, 4);
	CHECK_EQ(d->started_before, 1);
	CHECK_EQ(d->untimed_ios, 1);
	CHECK_EQ(d->latency[LATENCY_TOTAL]->count, 3);
	CHECK_EQ(d->latency[LATENCY_TOTAL]->min, 100 * US);
	CHECK_EQ(d->latency[LATENCY_TOTAL]->max, 100 * US);
	CHECK_EQ(d->latency[LATENCY_DEVICE]->count, 2); /* of the first and the third */
	CHECK_EQ(d->latency[LATENCY_DEVICE]->max, 90 * US);
	CHECK_EQ(d->latency[LATENCY_QUEUE]->count, 1); /* of the first */
	CHECK_EQ(d->latency_sum_ns[TICK_READ][LATENCY_TOTAL], 300 * US);
	CHECK(d->latency_by_op[TICK_WRITE][LATENCY_TOTAL] == NULL);
	CHECK_EQ(d->busy_ns, 300 * US);
	explanation__free(x);
}

/* As of blkparse -a issue -a complete. */
static void without_creations_times_begin_with_the_issue(void)
{
	struct explainer *e = test_explainer();
	const struct explain_device *d;
	struct explanation *x;

	for (uint64_t i = 0; i < 3; i++) {
		struct io_row row = test_read(START_NS + i * MS, 80 * i);

		row.created_ns = 0;
		test_add(e, row);
	}
	x = test_finish(e, NSEC_PER_SEC);
	d = x->devices[0];
	CHECK_EQ(d->untimed_ios, 0);
	CHECK_EQ(d->timed_from_issue_ios, 3);
	CHECK_EQ(d->latency[LATENCY_TOTAL]->max, 90 * US);
	CHECK(d->latency[LATENCY_QUEUE] == NULL);
	CHECK_EQ(d->busy_ns, 270 * US);
	CHECK(strstr(x->verdict, "with 3 IOs, from their issue on: their creation is not known.") !=
	      NULL);
	explanation__free(x);
}

static void writes_without_data_have_a_latency_of_their_own(void)
{
	struct explainer *e = test_explainer();
	const struct explain_device *d;
	struct explanation *x;
	struct io_row row;

	for (uint64_t i = 0; i < 11; i++) {
		row = test_read(START_NS + i * MS, 80 * i);
		row.op = IO_OP_WRITE;
		if (i % 2) { /* a flush takes ten times as long */
			row.bytes = 0;
			row.flags = IO_PREFLUSH;
			row.completed_ns = row.created_ns + 1000 * US;
		}
		test_add(e, row);
	}
	x = test_finish(e, NSEC_PER_SEC);
	d = x->devices[0];
	CHECK_EQ(d->counted[TICK_WRITE].ios, 11);
	CHECK_EQ(d->latency_by_op[TICK_WRITE][LATENCY_TOTAL]->count, 6);
	CHECK_EQ(d->latency_by_op[TICK_WRITE][LATENCY_TOTAL]->max, 100 * US);
	CHECK_EQ(d->flush_request_latency[LATENCY_TOTAL]->count, 5);
	CHECK_EQ(d->flush_request_latency[LATENCY_TOTAL]->min, 1000 * US);
	CHECK_EQ(d->latency[LATENCY_TOTAL]->count, 11);
	CHECK_EQ(d->latency_sum_ns[TICK_WRITE][LATENCY_TOTAL], 5600 * US);
	CHECK_EQ(d->size_bytes[TICK_WRITE]->count, 6);
	explanation__free(x);
}

static void origins_and_sequential_ios_are_counted_apart(void)
{
	static const uint8_t origins[] = {IO_ORIGIN_FILE,   IO_ORIGIN_FILE, IO_ORIGIN_BLOCKDEV,
					  IO_ORIGIN_DIRECT, IO_ORIGIN_SWAP, 250};
	struct explainer *e = test_explainer();
	const struct explain_origin *read;
	struct explanation *x;
	struct io_row row;

	for (size_t i = 0; i < sizeof(origins); i++) {
		/* the first four follow each other, the others stand alone */
		row = test_read(START_NS + i * MS, i < 4 ? 8 * i : 100000 * i);
		row.origin = origins[i];
		test_add(e, row);
	}
	row = test_read(START_NS + 50 * MS, 0);
	row.op = IO_OP_WRITE;
	row.bytes = 512;
	test_add(e, row);
	/* a write that follows it, and a discard that follows that */
	row.created_ns += MS;
	row.completed_ns += MS;
	row.sector = 1;
	test_add(e, row);
	row.op = IO_OP_DISCARD;
	row.sector = 2;
	test_add(e, row);
	x = test_finish(e, NSEC_PER_SEC);
	read = x->devices[0]->origin[DIRECTION_READ];
	CHECK_EQ(read[IO_ORIGIN_FILE].ios, 2);
	CHECK_EQ(read[IO_ORIGIN_FILE].bytes, 8192);
	CHECK_EQ(read[IO_ORIGIN_FILE].latency_ns, 200 * US);
	CHECK_EQ(read[IO_ORIGIN_BLOCKDEV].ios, 1);
	CHECK_EQ(read[IO_ORIGIN_DIRECT].ios, 1);
	CHECK_EQ(read[IO_ORIGIN_SWAP].ios, 1);
	CHECK_EQ(read[IO_ORIGIN_UNKNOWN].ios, 1);
	CHECK_EQ(x->devices[0]->origin[DIRECTION_WRITE][IO_ORIGIN_FILE].bytes, 2 * 512);
	CHECK_EQ(x->devices[0]->data_ios[DIRECTION_READ], 6);
	CHECK_EQ(x->devices[0]->sequential_ios[DIRECTION_READ], 3);
	CHECK_EQ(x->devices[0]->sequential_file_reads, 1);
	CHECK_EQ(x->devices[0]->data_ios[DIRECTION_WRITE], 2);
	CHECK_EQ(x->devices[0]->sequential_ios[DIRECTION_WRITE], 1);
	explanation__free(x);
}

static void threads_of_a_process_are_one_group(void)
{
	static const uint32_t tasks[] = {1, 2, 3, 0, 2};
	struct explainer *e = test_explainer();
	struct cache_row cached = {.time_ns = START_NS + MS,
				   .task = 2,
				   .cgroup = 1,
				   .file = 2,
				   .reads = 30,
				   .read_pages = 30,
				   .demand_miss_pages = 10};
	struct explanation *x;

	for (size_t i = 0; i < 5; i++) {
		struct io_row row = test_read(START_NS + i * MS, 8000 * i);

		row.task = tasks[i];
		if (i == 4)
			row.completed_ns = row.created_ns + MS;
		if (tasks[i] == 3) {
			row.completed_ns = row.created_ns + 5 * MS;
			row.op = IO_OP_WRITE;
			row.file = 0;
		}
		test_add(e, row);
	}
	CHECK_EQ(explainer__add_cache(e, &cached), 0);
	x = test_finish(e, NSEC_PER_SEC);
	REQUIRE(x->by_task.count == 3);
	CHECK_TEXT(x->by_task.list[0].name, "fio");
	CHECK_EQ(x->by_task.list[0].latency_sum_ns, 5 * MS);
	CHECK_EQ(x->by_task.list[0].latency_p50_ns, 5 * MS);
	CHECK_EQ(x->by_task.list[0].write_ios, 1);
	CHECK_TEXT(x->by_task.list[1].name, "mysqld");
	CHECK_EQ(x->by_task.list[1].tgid, 100);
	CHECK_EQ(x->by_task.list[1].ios, 3);
	CHECK_EQ(x->by_task.list[1].read_bytes, 12288);
	CHECK_EQ(x->by_task.list[1].latency_sum_ns, 1200 * US);
	CHECK_EQ(x->by_task.list[1].latency_p99_ns, MS); /* of the second thread */
	CHECK_EQ(x->by_task.list[1].cache_read_pages, 30);
	CHECK_EQ(x->by_task.list[1].cache_hit_pages, 20);
	CHECK_TEXT(x->by_task.list[2].name, "(unknown)");
	REQUIRE(x->by_file.count == 2);
	CHECK_TEXT(x->by_file.list[0].name, "/srv/a");
	CHECK_EQ(x->by_file.list[0].ios, 4);
	CHECK_TEXT(x->by_file.list[1].name, "(inode 12 on 8:1)");
	REQUIRE(x->by_cgroup.count == 1);
	CHECK_TEXT(x->by_cgroup.list[0].name, "/db");
	CHECK_EQ(x->slowest_count, 5);
	CHECK_EQ(x->slowest[0].total_ns, 5 * MS);
	CHECK_TEXT(x->slowest[0].comm, "fio");
	CHECK_EQ(x->slowest[0].pid, 200);
	CHECK(!x->slowest[0].file);
	REQUIRE(x->slowest[1].file);
	CHECK_TEXT(x->slowest[1].file, "/srv/a");
	explanation__free(x);
}

static void many_groups_are_bounded_and_nothing_is_lost(void)
{
	const uint32_t groups = 20000;
	struct explainer *e = test_explainer();
	struct explanation *x;
	uint64_t ios = 0;

	for (uint32_t i = 1; i <= groups; i++) {
		struct io_row row = test_read(START_NS + i * US, 0);

		row.file = 1000 + i;
		row.task = 1000 + i;
		row.device = 1 + i % 2;
		test_add(e, row);
	}
	x = test_finish(e, NSEC_PER_SEC);
	CHECK_EQ(x->by_file.count, EXPLAIN_GROUPS_MAX);
	for (uint32_t i = 0; i < x->by_file.count; i++)
		ios += x->by_file.list[i].ios;
	CHECK_EQ(ios + x->by_file.others.ios, groups);
	explanation__free(x);
}

static void more_devices_than_the_bound_are_counted(void)
{
	struct explainer *e = test_explainer();
	struct explanation *x;

	for (uint32_t i = 0; i < EXPLAIN_DEVICES_MAX + 100; i++) {
		struct io_row row = test_read(START_NS + i * US, 0);

		row.device = 1000 + i;
		test_add(e, row);
		test_add(e, row);
	}
	x = test_finish(e, NSEC_PER_SEC);
	CHECK_EQ(x->device_count, EXPLAIN_DEVICES_MAX);
	CHECK_EQ(x->io_rows, 2 * EXPLAIN_DEVICES_MAX);
	CHECK_EQ(x->ignored_rows, 200);
	explanation__free(x);
}

static void only_chosen_devices_are_explained(void)
{
	const char *const chosen[] = {"/dev/sdb"};
	struct explainer *e = explainer__new(&test_tables, chosen, 1);
	struct explanation *x;
	struct io_row row;

	REQUIRE(e);
	test_add(e, test_read(START_NS, 0));
	row = test_read(START_NS, 0);
	row.device = 2;
	test_add(e, row);
	row.device = 99;
	test_add(e, row);
	x = test_finish(e, NSEC_PER_SEC);
	CHECK_EQ(x->device_count, 1);
	CHECK_TEXT(x->devices[0]->info.name, "sdb");
	CHECK_EQ(x->io_rows, 1);
	CHECK_EQ(x->by_task.list[0].ios, 1);
	explanation__free(x);
}

/* 23 reads of 4 KiB, and a tick that says `kernel_ios`. */
static struct explanation *with_tick(uint64_t kernel_ios, uint32_t in_flight, uint32_t device)
{
	struct tick_row tick = {.time_ns = START_NS + 100 * MS, .device = device};
	struct explainer *e = test_explainer();

	if (device == 1)
		test_add_workload(e, "23 reads 1ms apart in sequence");
	tick.ios[TICK_READ] = kernel_ios;
	tick.sectors[TICK_READ] = 8 * kernel_ios;
	tick.ticks_ms[TICK_READ] = 2;
	tick.in_flight = in_flight;
	if (explainer__add_tick(e, &tick))
		abort();
	return test_finish(e, NSEC_PER_SEC);
}

static void recorded_ios_are_compared_with_the_kernels_counters(void)
{
	static const struct {
		uint64_t kernel_ios;
		uint32_t in_flight, device;
		enum explain_agreement want;
	} cases[] = {
		{23, 0, 1, AGREEMENT_EXACT},
		{24, 0, 1, AGREEMENT_DIFFERS},
		{22, 0, 1, AGREEMENT_DIFFERS},
		{24, 2, 1, AGREEMENT_EDGES},
		{25, 2, 1, AGREEMENT_EDGES},
		{26, 2, 1, AGREEMENT_DIFFERS},
		{23, 0, 2, AGREEMENT_DIFFERS},
		{23, 0, 3, AGREEMENT_UNKNOWN}, /* a bio-based device has no rows */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct explanation *x =
			with_tick(cases[i].kernel_ios, cases[i].in_flight, cases[i].device);

		CHECK_EQ(x->devices[0]->agreement, cases[i].want);
		CHECK_EQ(x->devices[0]->kernel[TICK_READ].bytes, 4096 * cases[i].kernel_ios);
		CHECK_EQ(!!test_finding(x, "disagrees-with-kernel"),
			 cases[i].want == AGREEMENT_DIFFERS);
		explanation__free(x);
	}
}

static struct explanation *with_loss(uint64_t kernel_ios, enum loss_class class, uint64_t count)
{
	struct tick_row tick = {.time_ns = START_NS + 100 * MS, .device = 1};
	const struct loss_row loss = {.class = class, .count = count};
	struct explainer *e = test_explainer();

	test_add_workload(e, "23 reads 1ms apart in sequence");
	tick.ios[TICK_READ] = kernel_ios;
	tick.sectors[TICK_READ] = 8 * kernel_ios;
	if (explainer__add_tick(e, &tick))
		abort();
	if (count)
		explainer__add_loss(e, &loss);
	return test_finish(e, NSEC_PER_SEC);
}

/* A recording with a filter is not compared, so a filter is never the reason. */
static void the_true_reason_of_a_difference_is_given(void)
{
	static const struct {
		uint64_t kernel_ios;
		enum loss_class class;
		uint64_t lost;
		const char *want;
	} cases[] = {
		{30, LOSS_IO_RING, 7, "The recording lost rows (7 of all devices"},
		{30, LOSS_CACHE_TABLE, 7, "No loss was counted"}, /* of pages, not of IOs */
		{30, LOSS_IO_RING, 0, "No loss was counted"},
		{0, LOSS_IO_RING, 0, "iostats of the queue is off"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct explanation *x =
			with_loss(cases[i].kernel_ios, cases[i].class, cases[i].lost);
		const struct explain_finding *finding = test_finding(x, "disagrees-with-kernel");

		CHECK(finding && strstr(finding->advice, cases[i].want));
		CHECK(finding && !strstr(finding->advice, "process"));
		explanation__free(x);
	}
}

/* A read each ms, ended 100 us after it began, and counters that were read last while the last of
 * 23 ended, or long after it. */
static void ios_that_end_while_counters_are_read_may_differ(void)
{
	static const struct {
		uint64_t end_ns, look_ns, kernel_ios;
		enum explain_agreement want;
	} cases[] = {
		{23 * MS, 4 * MS, 27, AGREEMENT_EDGES}, /* 4 in 4 ms, and one on a CPU */
		{23 * MS, 4 * MS, 29, AGREEMENT_DIFFERS},
		{23 * MS, 0, 24, AGREEMENT_DIFFERS}, /* the last row ended 0.9 ms before */
		{22 * MS + 200000, 0, 24, AGREEMENT_EDGES},
		{22 * MS + 200000, 0, 25, AGREEMENT_DIFFERS},
		{60 * MS, 4 * MS, 24, AGREEMENT_DIFFERS}, /* at rest */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct tick_row tick = {.time_ns = START_NS + cases[i].end_ns,
					.interval_ns = cases[i].end_ns + 10 * MS,
					.snapshot_ns = cases[i].look_ns,
					.device = 1};
		struct explainer *e = test_explainer();
		struct explanation *x;

		test_add_workload(e, "23 reads 1ms apart in sequence");
		tick.ios[TICK_READ] = cases[i].kernel_ios;
		tick.sectors[TICK_READ] = 8 * cases[i].kernel_ios;
		if (explainer__add_tick(e, &tick))
			abort();
		x = test_finish(e, NSEC_PER_SEC);
		CHECK_EQ(x->devices[0]->agreement, cases[i].want);
		explanation__free(x);
	}
}

static void an_empty_recording_is_explained(void)
{
	struct explanation *x = test_finish(test_explainer(), 0);

	CHECK_EQ(x->device_count, 0);
	CHECK_EQ(x->finding_count, 0);
	CHECK(strstr(x->verdict, "Nothing happened"));
	explanation__free(x);
	explanation__free(NULL);
	explainer__free(NULL);
}

int main(void)
{
	RUN(rows_map_to_the_kernels_columns);
	RUN(latency_is_split_and_unknown_times_are_left_out);
	RUN(without_creations_times_begin_with_the_issue);
	RUN(writes_without_data_have_a_latency_of_their_own);
	RUN(origins_and_sequential_ios_are_counted_apart);
	RUN(threads_of_a_process_are_one_group);
	RUN(many_groups_are_bounded_and_nothing_is_lost);
	RUN(more_devices_than_the_bound_are_counted);
	RUN(only_chosen_devices_are_explained);
	RUN(recorded_ios_are_compared_with_the_kernels_counters);
	RUN(the_true_reason_of_a_difference_is_given);
	RUN(ios_that_end_while_counters_are_read_may_differ);
	RUN(an_empty_recording_is_explained);
	return TEST_RESULT;
}
