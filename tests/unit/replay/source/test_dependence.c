// SPDX-License-Identifier: MIT
/*
 * Mode dependent: what waited for what is inferred from made traces of which it is known, and
 * applications are simulated on a fast device, replayed on a slow one, and held against the same
 * application on the slow one. No clock and no IO: every figure is exact.
 */
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#include <errno.h>

#include "base/units.h"
#include "replay/source/dependence.h"
#include "replay/engine/dependents.h"

#define IOS_MAX 4096
#define US	NSEC_PER_USEC

struct list_source {
	struct replay_source base;
	const struct replay_io *ios;
	uint64_t count, next;
};

static int list_next(struct replay_source *base, struct replay_io *io)
{
	struct list_source *s = (struct list_source *)base;

	if (s->next == s->count)
		return 0;
	*io = s->ios[s->next++];
	return 1;
}

static void list_free(struct replay_source *base)
{
}

static const struct replay_source_ops list_ops = {list_next, list_free};

static struct replay_io ios[IOS_MAX];
static uint64_t io_count;

static void infer_all(void)
{
	struct list_source below = {.base = {&list_ops}, .ios = ios, .count = io_count};
	static struct replay_io inferred[IOS_MAX];
	struct replay_source *source;
	uint64_t n = 0;

	REQUIRE(!dependence_source__create(&below.base, &source));
	while (n < io_count && replay_source__next(source, &inferred[n]) > 0)
		n++;
	replay_source__free(source);
	CHECK_EQ(n, io_count);
	memcpy(ios, inferred, n * sizeof(ios[0]));
}

static void add(uint32_t task, uint64_t due_us, uint64_t done_us, uint32_t flags)
{
	ios[io_count] = (struct replay_io){.task = task,
					   .due_ns = due_us * US,
					   .done_ns = done_us * US,
					   .flags = flags | (uint32_t)io_count << 16,
					   .op = REPLAY_WRITE,
					   .length_bytes = 4096,
					   .offset_bytes = 8192 * io_count};
	io_count++;
}

static void check_wait(uint64_t i, enum replay_anchor anchor, uint64_t own, uint64_t other,
		       uint64_t think_us, uint32_t depth)
{
	const struct replay_wait *wait = &ios[i].wait;

	CHECK_EQ(wait->anchor, anchor);
	CHECK_EQ(wait->own_completions, own);
	CHECK_EQ(wait->other_completions, other);
	CHECK_EQ(wait->think_ns, think_us * US);
	CHECK_EQ(wait->depth, depth);
}

/* Inference ---------------------------------------------------------------------------------- */

static void single_ios_wait_for_the_one_before(void)
{
	io_count = 0;
	add(7, 10, 110, 0);
	add(7, 150, 250, 0);
	add(7, 251, 300, 0);
	infer_all();
	check_wait(0, REPLAY_ANCHOR_START, 0, 0, 10, 1);
	check_wait(1, REPLAY_ANCHOR_OWN, 1, 0, 40, 1);
	check_wait(2, REPLAY_ANCHOR_OWN, 2, 0, 1, 1);
	for (uint64_t i = 0; i < io_count; i++)
		CHECK_EQ(ios[i].wait.stream, 0);
}

static void a_batch_starts_together_and_is_awaited_as_a_whole(void)
{
	io_count = 0;
	add(1, 0, 100, 0);
	add(1, 2, 90, 0);
	add(1, 5, 200, 0);
	add(1, 203, 300, 0);
	infer_all();
	check_wait(1, REPLAY_ANCHOR_SUBMIT, 0, 0, 2, 2);
	check_wait(2, REPLAY_ANCHOR_SUBMIT, 0, 0, 3, 3);
	check_wait(3, REPLAY_ANCHOR_OWN, 3, 0, 3, 1);
}

static void tasks_do_not_wait_for_each_other(void)
{
	io_count = 0;
	add(1, 0, 100, 0);
	add(2, 5, 60, 0); /* its first, and nothing had completed */
	add(2, 70, 300, 0);
	add(1, 110, 200, 0);
	add(3, 250, 300, 0); /* a new task goes on where the others are */
	infer_all();
	check_wait(1, REPLAY_ANCHOR_START, 0, 0, 5, 2);
	check_wait(2, REPLAY_ANCHOR_OWN, 1, 0, 10, 2);
	check_wait(3, REPLAY_ANCHOR_OWN, 1, 0, 10, 2);
	check_wait(4, REPLAY_ANCHOR_OTHER, 0, 2, 50, 2);
	CHECK_EQ(ios[4].wait.other_stream, ios[0].wait.stream);
	CHECK_EQ(ios[0].wait.stream, 0);
	CHECK_EQ(ios[1].wait.stream, 1);
	CHECK_EQ(ios[4].wait.stream, 2);
}

static void a_commit_is_waited_for_and_writeback_is_not(void)
{
	io_count = 0;
	add(1, 0, 100, 0);
	add(50, 120, 300, REPLAY_KERNEL);		      /* the journal, for task 1 */
	add(60, 150, 900, REPLAY_KERNEL | REPLAY_BACKGROUND); /* writeback */
	add(60, 160, 200, REPLAY_KERNEL | REPLAY_BACKGROUND);
	add(60, 250, 350, REPLAY_KERNEL | REPLAY_BACKGROUND);
	add(1, 310, 400, 0);
	add(2, 500, 600, 0);
	infer_all();
	check_wait(1, REPLAY_ANCHOR_OTHER, 0, 1, 20, 1);
	check_wait(2, REPLAY_ANCHOR_OTHER, 0, 1, 50, 2);
	check_wait(3, REPLAY_ANCHOR_SUBMIT, 0, 0, 10, 3);
	check_wait(4, REPLAY_ANCHOR_SUBMIT, 0, 0, 90, 3);
	check_wait(5, REPLAY_ANCHOR_OTHER, 1, 1, 10, 3);
	CHECK_EQ(ios[5].wait.other_stream, ios[1].wait.stream);
}

/* Tasks append to one log, where the next one writes the last block of the one before again. */
static void append(uint64_t i, uint32_t task, uint64_t due_us, uint64_t done_us)
{
	add(task, due_us, done_us, 0);
	ios[io_count - 1].offset_bytes = 1ull << 40 | 4096 * i;
	ios[io_count - 1].length_bytes = 8192;
}

static void flush_log(uint32_t task, uint64_t due_us, uint64_t done_us)
{
	add(task, due_us, done_us, 0);
	ios[io_count - 1].op = REPLAY_FLUSH;
	ios[io_count - 1].length_bytes = 0;
}

static void appenders_to_a_log_wait_for_their_turn(void)
{
	io_count = 0;
	append(0, 1, 0, 100);
	add(2, 5, 90, 0);
	flush_log(1, 110, 200);
	append(1, 2, 230, 300);
	add(1, 310, 400, 0); /* elsewhere */
	flush_log(2, 320, 380);
	append(2, 1, 420, 500);
	append(3, 1, 510, 600);
	infer_all();
	check_wait(3, REPLAY_ANCHOR_OTHER, 1, 2, 30, 1);
	CHECK_EQ(ios[3].wait.other_stream, ios[0].wait.stream);
	check_wait(4, REPLAY_ANCHOR_OWN, 2, 0, 110, 1);
	/* It thinks since its own, and is not before the log is free. */
	check_wait(6, REPLAY_ANCHOR_OWN, 3, 3, 20, 1);
	check_wait(7, REPLAY_ANCHOR_OWN, 4, 0, 10, 1);
}

static void writers_side_by_side_are_no_log(void)
{
	io_count = 0;
	append(0, 1, 0, 100);
	append(1, 2, 50, 150); /* at once */
	append(2, 1, 160, 250);
	append(3, 2, 270, 350);
	infer_all();
	check_wait(2, REPLAY_ANCHOR_OWN, 1, 0, 60, 1);
	check_wait(3, REPLAY_ANCHOR_OWN, 1, 0, 120, 1);
}

static void no_io_waits_for_one_without_completion(void)
{
	io_count = 0;
	add(1, 0, 0, 0);
	add(1, 50, 100, 0);
	add(UINT32_MAX, 70, 100, 0);
	infer_all();
	CHECK(ios[0].wait.uncounted);
	CHECK(!ios[1].wait.uncounted);
	check_wait(1, REPLAY_ANCHOR_SUBMIT, 0, 0, 50, 1);
}

/* Applications, simulated -------------------------------------------------------------------- */

static uint64_t noise(uint64_t i, uint64_t below)
{
	return random_of(i) % below;
}

/* Of the i-th IO of the application, on either device. */
static uint64_t latency_us(uint64_t i, bool slow)
{
	return slow ? 2000 + noise(i, 3000) : 60 + noise(i, 90);
}

#define THINK_US(i) (100 + noise((i) + 77777, 900))

typedef uint64_t application(bool slow); /* fills ios, returns the us that it ran */

static uint64_t one_by_one(bool slow)
{
	uint64_t now_us = 3;

	for (uint64_t i = 0; i < 500; i++) {
		uint64_t due_us = now_us;

		now_us += latency_us(i, slow);
		add(1, due_us, now_us, 0);
		now_us += i < 499 ? THINK_US(i) : 0;
	}
	return now_us;
}

static uint64_t batches_of_eight(bool slow)
{
	uint64_t now_us = 0, end_us = 0;

	for (uint64_t i = 0; i < 50; i++) {
		for (uint64_t j = 0; j < 8; j++) {
			uint64_t done_us = now_us + j + latency_us(8 * i + j, slow);

			add(1, now_us + j, done_us, 0);
			end_us = done_us > end_us ? done_us : end_us;
		}
		now_us = end_us + THINK_US(i);
	}
	return end_us;
}

/* A task writes, the journal commits with two IOs, the task thinks and goes on. */
static uint64_t committing(bool slow)
{
	uint64_t now_us = 0;

	for (uint64_t i = 0; i < 600; i += 3) {
		uint64_t start_us = now_us ? now_us + THINK_US(i) : 0;

		now_us = start_us + latency_us(i, slow);
		add(1, start_us, now_us, 0);
		for (uint64_t j = 1; j < 3; j++) {
			start_us = now_us + 15;
			now_us = start_us + latency_us(i + j, slow);
			add(50, start_us, now_us, REPLAY_KERNEL);
		}
	}
	return now_us;
}

static int by_due(const void *a, const void *b)
{
	const struct replay_io *first = a, *second = b;

	return (first->due_ns > second->due_ns) - (first->due_ns < second->due_ns);
}

/* Four take turns at a log: a write and a flush under its lock; they think outside of it. */
static uint64_t logging(bool slow)
{
	uint64_t ready_us[4] = {0, 3, 6, 9}, free_us = 0;

	for (uint64_t i = 0; i < 600; i += 2) {
		uint64_t task = i / 2 % 4, start_us;

		start_us = (ready_us[task] > free_us ? ready_us[task] : free_us) + 5;
		free_us = start_us + latency_us(i, slow);
		append(i / 2, (uint32_t)task + 1, start_us, free_us);
		flush_log((uint32_t)task + 1, free_us + 4, free_us + 4 + latency_us(i + 1, slow));
		free_us += 4 + latency_us(i + 1, slow);
		ready_us[task] = free_us + THINK_US(i) / 10;
	}
	return free_us;
}

/* Four at a time, each completion lets the next one go. */
static uint64_t four_in_flight(bool slow)
{
	uint64_t slots_us[4] = {0, 1, 2, 3}, end_us = 0;

	for (uint64_t i = 0; i < 2000; i++) {
		uint64_t *slot_us = &slots_us[0], due_us;

		for (unsigned int j = 1; j < 4; j++)
			if (slots_us[j] < *slot_us)
				slot_us = &slots_us[j];
		due_us = *slot_us + (i < 4 ? 0 : 20);
		*slot_us = due_us + latency_us(i, slow);
		end_us = *slot_us > end_us ? *slot_us : end_us;
		add(1, due_us, *slot_us, 0);
	}
	qsort(ios, io_count, sizeof(ios[0]), by_due);
	return end_us;
}

/* The replay of `ios` on the slow device; us until its last completion. */
static uint64_t replay_us(void)
{
	static struct {
		uint64_t done_ns;
		uint32_t stream;
	} in_flight[IOS_MAX];
	uint64_t now_ns = 1000, added = 0, flying = 0, due_ns;
	const struct replay_io *io;
	struct dependents *w;

	if (dependents__create(now_ns, 1, &w))
		return 0;
	for (;;) {
		enum dependents_state state;
		uint64_t first = 0;

		while (added < io_count && !dependents__full(w))
			if (dependents__add(w, &ios[added++]))
				return 0;
		for (uint64_t i = 1; i < flying; i++)
			if (in_flight[i].done_ns < in_flight[first].done_ns)
				first = i;
		state = dependents__peek(w, &io, &due_ns);
		if (state == DEPENDENTS_READY && (!flying || due_ns <= in_flight[first].done_ns)) {
			uint64_t i = io->flags >> 16;

			now_ns = due_ns > now_ns ? due_ns : now_ns;
			in_flight[flying].done_ns = now_ns + latency_us(i, true) * US;
			in_flight[flying++].stream = io->wait.stream;
			dependents__submitted(w, now_ns);
			continue;
		}
		if (!flying)
			break;
		now_ns = in_flight[first].done_ns;
		dependents__completed(w, in_flight[first].stream, now_ns);
		in_flight[first] = in_flight[--flying];
	}
	CHECK_EQ(dependents__peek(w, &io, &due_ns), DEPENDENTS_EMPTY);
	dependents__free(w);
	return (now_ns - 1000) / US;
}

static void check_prediction(application *app, double error_pct)
{
	uint64_t truth_us, fast_us, got_us;
	double open_pct, got_pct;

	io_count = 0;
	truth_us = app(true);
	io_count = 0;
	fast_us = app(false);
	infer_all();
	got_us = replay_us();
	got_pct = 100 * ((double)got_us / (double)truth_us - 1);
	open_pct = 100 * ((double)fast_us / (double)truth_us - 1);
	CHECK(got_pct <= error_pct && got_pct >= -error_pct);
	if (got_pct > error_pct || got_pct < -error_pct)
		printf("# predicted %.2f %% off\n", got_pct);
	/* An open loop would say about what the fast device took: a test of the test. */
	CHECK(open_pct < -40);
}

static void replay_of_single_ios_is_predicted(void)
{
	check_prediction(one_by_one, 0.001);
}

static void replay_of_batches_is_predicted(void)
{
	check_prediction(batches_of_eight, 0.001);
}

static void replay_of_commits_is_predicted(void)
{
	check_prediction(committing, 0.001);
}

static void replay_of_a_log_is_predicted(void)
{
	check_prediction(logging, 1);
}

static void depth_is_kept_and_predicted(void)
{
	/* Which of two completions at the same moment caused what is not to be known. */
	check_prediction(four_in_flight, 3);
	CHECK_EQ(ios[3].wait.depth, 4);
	CHECK(ios[1000].wait.depth <= 4);
}

static void a_faster_device_ends_sooner(void)
{
	uint64_t slow_us, again_us;

	io_count = 0;
	slow_us = one_by_one(true);
	infer_all();
	again_us = replay_us();
	CHECK_EQ(again_us, slow_us);
	/* The same trace with its latencies taken away but for the think time. */
	io_count = 0;
	one_by_one(true);
	infer_all();
	for (uint64_t i = 0; i < io_count; i++)
		ios[i].wait.think_ns = 0;
	CHECK(replay_us() < slow_us);
}

int main(void)
{
	RUN(single_ios_wait_for_the_one_before);
	RUN(a_batch_starts_together_and_is_awaited_as_a_whole);
	RUN(tasks_do_not_wait_for_each_other);
	RUN(a_commit_is_waited_for_and_writeback_is_not);
	RUN(appenders_to_a_log_wait_for_their_turn);
	RUN(writers_side_by_side_are_no_log);
	RUN(no_io_waits_for_one_without_completion);
	RUN(replay_of_single_ios_is_predicted);
	RUN(replay_of_batches_is_predicted);
	RUN(replay_of_commits_is_predicted);
	RUN(replay_of_a_log_is_predicted);
	RUN(depth_is_kept_and_predicted);
	RUN(a_faster_device_ends_sooner);
	return TEST_RESULT;
}
