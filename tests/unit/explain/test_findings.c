// SPDX-License-Identifier: MIT
/* Each finding is caused by a workload made for it, and not by its opposite. */
#include "unit/explain/made_traces.h"

#include <errno.h>

#include "explain/findings/findings.h"

#define IOS 400u

/* What a case changes in the plain workload: 400 random reads of 4 KiB, 1 ms apart. */
struct workload {
	uint32_t ios;
	uint64_t queue_ns, device_ns;
	void (*change)(struct io_row *row, uint32_t i);
	struct cache_row cache;
	bool has_loss;
	enum loss_class loss_class;
	bool cut;
};

static const struct workload plain = {.ios = IOS, .queue_ns = 30 * US, .device_ns = 70 * US};

static struct explanation *explain_workload(const struct workload *w)
{
	const struct trace_host host = {.start_ns = START_NS};
	const struct trace_summary summary = {.stop_ns = START_NS + NSEC_PER_SEC};
	const struct explain_frame frame = {&host, w->cut ? NULL : &summary, w->cut};
	const struct loss_row loss = {.count = 17, .class = w->loss_class};
	struct explainer *e = test_explainer();
	struct explanation *x = NULL;

	for (uint32_t i = 0; i < w->ios; i++) {
		struct io_row row = test_read(START_NS + i * MS, 8ull * ((i * 7919ull) % 100003));

		row.issued_ns = row.created_ns + w->queue_ns;
		row.completed_ns = row.issued_ns + w->device_ns;
		if (w->change)
			w->change(&row, i);
		test_add(e, row);
	}
	if (w->cache.reads && explainer__add_cache(e, &w->cache))
		abort();
	if (w->has_loss)
		explainer__add_loss(e, &loss);
	if (explainer__finish(e, &frame, &x))
		abort();
	return x;
}

/* The finding's evidence (static), or NULL when there is no such finding. */
static const char *evidence_of(const struct workload *w, const char *id)
{
	static char evidence[EXPLAIN_SENTENCES_MAX];
	struct explanation *x = explain_workload(w);
	const struct explain_finding *finding = test_finding(x, id);

	if (finding) {
		snprintf(evidence, sizeof(evidence), "%s", finding->evidence);
		CHECK(*finding->title && *finding->advice);
	}
	explanation__free(x);
	return finding ? evidence : NULL;
}

#define CHECK_FOUND(workload, id, words)                           \
	do {                                                       \
		const char *evidence_ = evidence_of(workload, id); \
		CHECK(evidence_ != NULL);                          \
		CHECK(evidence_ &&strstr(evidence_, words));       \
		if (evidence_ && !strstr(evidence_, words))        \
			printf("# %s\n", evidence_);               \
	} while (0)

#define CHECK_ABSENT(workload, id) CHECK(!evidence_of(workload, id))

static void a_plain_workload_has_no_findings(void)
{
	struct explanation *x = explain_workload(&plain);

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

static void losses_cuts_and_errors(void)
{
	struct workload w = plain;
	struct explanation *x;

	w.has_loss = true;
	w.loss_class = LOSS_IO_RING;
	CHECK_FOUND(&w, "losses", "(io_ring): 17.");
	CHECK_ABSENT(&plain, "losses");
	/* Rows that are there are not missing. */
	w.loss_class = LOSS_IO_EVENT;
	x = explain_workload(&w);
	REQUIRE(test_finding(x, "losses"));
	CHECK(strstr(test_finding(x, "losses")->title, "no IO is missing"));
	explanation__free(x);
	w.loss_class = LOSS_IO_RING;
	w.cut = true;
	CHECK_FOUND(&w, "incomplete-trace", "400 IOs over");
	CHECK_ABSENT(&plain, "incomplete-trace");
	w.change = fail_one;
	CHECK_FOUND(&w, "errors", "1 of 400 IOs failed; the first with \"Input/output error\"");
	CHECK_ABSENT(&plain, "errors");
	x = explain_workload(&w);
	REQUIRE(x->finding_count == 3);
	CHECK_TEXT(x->findings[0].id, "losses"); /* what makes the rest untrue comes first */
	CHECK_TEXT(x->findings[1].id, "errors");
	CHECK_TEXT(x->findings[2].id, "incomplete-trace");
	CHECK_TEXT(x->findings[1].device, "sda");
	explanation__free(x);
}

static struct cache_row cache_of(uint64_t pages, uint64_t missed, uint64_t added, uint64_t used,
				 uint64_t wasted)
{
	return (struct cache_row){.time_ns = START_NS + MS,
				  .file = 1,
				  .task = 1,
				  .reads = pages,
				  .read_pages = pages,
				  .demand_miss_pages = missed,
				  .readahead_added_pages = added,
				  .readahead_used_pages = used,
				  .readahead_wasted_pages = wasted};
}

static void cold_and_warm_caches(void)
{
	struct workload w = plain;

	w.cache = cache_of(2560, 1204, 0, 0, 0);
	CHECK_FOUND(&w, "cache-cold", "1,204 of 2,560 pages read (47 %)");
	CHECK_FOUND(&w, "cache-cold", "400 device reads of file pages took 40 ms");
	CHECK_FOUND(&w, "cache-cold", "/srv/a");
	CHECK_ABSENT(&w, "mostly-hits");
	w.cache = cache_of(2560, 20, 0, 0, 0);
	CHECK_FOUND(&w, "mostly-hits", "2,540 of 2,560 pages read (99.2 %)");
	CHECK_ABSENT(&w, "cache-cold");
	w.cache = cache_of(2560, 20, 2540, 2540, 0); /* hits, but the device brought them all */
	CHECK_ABSENT(&w, "mostly-hits");
	w.cache = cache_of(100, 100, 0, 0, 0); /* too little to judge */
	CHECK_ABSENT(&w, "cache-cold");
}

static void wasted_readahead(void)
{
	struct workload w = plain;

	w.cache = cache_of(5000, 0, 1000, 600, 250);
	CHECK_FOUND(&w, "readahead-wasted", "250 of 1,000 pages brought by readahead (25 %");
	w.cache = cache_of(5000, 0, 1000, 990, 10);
	CHECK_ABSENT(&w, "readahead-wasted");
	w.cache = cache_of(5000, 0, 100, 0, 100);
	CHECK_ABSENT(&w, "readahead-wasted");
}

static void make_sequential(struct io_row *row, uint32_t i)
{
	row->bytes = 131072;
	row->sector = 256ull * i;
}

static void make_sequential_on_sdb(struct io_row *row, uint32_t i)
{
	make_sequential(row, i);
	row->device = 2;
}

static void make_large_random(struct io_row *row, uint32_t i)
{
	row->bytes = 131072;
}

static void small_readahead(void)
{
	struct workload w = plain;

	w.change = make_sequential;
	CHECK_FOUND(&w, "readahead-small", "399 of 400 reads of file pages (100 %)");
	w.change = make_sequential_on_sdb; /* whose limit is 4 MiB */
	CHECK_ABSENT(&w, "readahead-small");
	w.change = make_large_random;
	CHECK_ABSENT(&w, "readahead-small");
}

static void make_direct_repeating(struct io_row *row, uint32_t i)
{
	row->origin = IO_ORIGIN_DIRECT;
	row->file = 0;
	row->sector = 8 * (i % 40);
}

static void make_direct_once(struct io_row *row, uint32_t i)
{
	row->origin = IO_ORIGIN_DIRECT;
	row->sector = 80ull * i;
}

static void direct_reads_that_repeat(void)
{
	struct workload w = plain;

	w.change = make_direct_repeating;
	CHECK_FOUND(&w, "direct-io-bypass", "about 90 % of the 4 KiB blocks");
	w.change = make_direct_once;
	CHECK_ABSENT(&w, "direct-io-bypass");
}

static void queue_or_device(void)
{
	struct workload w = plain;

	w.queue_ns = 300 * US;
	w.device_ns = 100 * US;
	CHECK_FOUND(&w, "queue-dominates", "120 ms of 160 ms of summed latency (75 %)");
	CHECK_ABSENT(&w, "device-dominates");
	w.queue_ns = 10 * US;
	w.device_ns = 90 * US;
	CHECK_FOUND(&w, "device-dominates", "36 ms of 40 ms of summed latency (90 %)");
	CHECK_ABSENT(&w, "queue-dominates");
	w.queue_ns = 3 * US; /* most of the time, but nothing that anyone would feel */
	w.device_ns = 1 * US;
	CHECK_ABSENT(&w, "queue-dominates");
	CHECK_ABSENT(&plain, "queue-dominates");
	CHECK_ABSENT(&plain, "device-dominates");
}

static void make_writes_with_flushes(struct io_row *row, uint32_t i)
{
	row->op = IO_OP_WRITE;
	row->bytes = 65536;
	if (i % 2) {
		row->op = IO_OP_FLUSH;
		row->flags = IO_FLUSH_MACHINERY;
		row->bytes = 0;
	}
}

static void make_writes_with_few_flushes(struct io_row *row, uint32_t i)
{
	row->op = IO_OP_WRITE;
	row->bytes = 65536;
	if (i % 10 == 0)
		make_writes_with_flushes(row, 1);
}

static void flush_storms(void)
{
	struct workload w = plain;

	w.change = make_writes_with_flushes;
	CHECK_FOUND(&w, "fsync-storm", "200 flushes in 1.00 s (200 a second) beside 200 writes");
	CHECK_FOUND(&w, "fsync-storm", "1.00 flushes per write");
	w.change = make_writes_with_few_flushes;
	CHECK_ABSENT(&w, "fsync-storm");
	CHECK_ABSENT(&plain, "fsync-storm");
}

static void make_journal_writes(struct io_row *row, uint32_t i)
{
	row->op = IO_OP_WRITE;
	row->task = 4;
	row->flags = IO_SYNC | IO_META;
	row->bytes = i % 2 ? 4096 : 1048576;
}

static void make_data_writes(struct io_row *row, uint32_t i)
{
	row->op = IO_OP_WRITE;
	row->flags = IO_SYNC;
}

static void journal_writes(void)
{
	struct workload w = plain;

	w.change = make_journal_writes;
	CHECK_FOUND(&w, "small-writes-journal", "200 of 400 writes (50 %)");
	w.change = make_data_writes;
	CHECK_ABSENT(&w, "small-writes-journal");
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

static void tails(void)
{
	struct workload w = plain;

	w.change = make_some_slow;
	CHECK_FOUND(&w, "tail-latency", "Of 400 read IOs half took up to 100 us");
	w.change = make_all_slow;
	CHECK_ABSENT(&w, "tail-latency");
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

static void one_task_among_others(void)
{
	struct workload w = plain;

	w.change = make_one_task_slow;
	CHECK_FOUND(&w, "one-task-dominates", "fio (pid 200) submitted 200 of 400 IOs (50 %)");
	w.change = make_two_tasks_equal;
	CHECK_ABSENT(&w, "one-task-dominates");
	CHECK_ABSENT(&plain, "one-task-dominates"); /* it is alone */
}

static void nothing_is_found_in_trivial_amounts(void)
{
	static void (*const changes[])(struct io_row *, uint32_t) = {
		make_sequential,     make_direct_repeating, make_writes_with_flushes,
		make_journal_writes, make_some_slow,	    make_one_task_slow,
	};
	struct workload w = plain;

	w.ios = 40;
	w.queue_ns = 10 * MS;
	w.cache = cache_of(200, 200, 200, 0, 200);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct explanation *x;

		w.change = changes[i];
		x = explain_workload(&w);
		CHECK_EQ(x->finding_count, 0);
		explanation__free(x);
	}
}

int main(void)
{
	RUN(a_plain_workload_has_no_findings);
	RUN(losses_cuts_and_errors);
	RUN(cold_and_warm_caches);
	RUN(wasted_readahead);
	RUN(small_readahead);
	RUN(direct_reads_that_repeat);
	RUN(queue_or_device);
	RUN(flush_storms);
	RUN(journal_writes);
	RUN(tails);
	RUN(one_task_among_others);
	RUN(nothing_is_found_in_trivial_amounts);
	return TEST_RESULT;
}
