// SPDX-License-Identifier: MIT
/* What the caller of an engine is told of each interval, and that nothing of one is told with the next. */
#include "unit/shared/test.h"

#include <string.h>

#include "replay/engine/progress.h"

#define INTERVAL_NS 1000

static struct engine_progress told[8];
static uint64_t submitted_count[8], intended_max_ns[8];
static unsigned int times;

static void tell(const struct engine_progress *progress, void *context)
{
	(void)context;
	if (times == 8)
		return;
	told[times] = *progress;
	submitted_count[times] = progress->submitted_ns->count;
	intended_max_ns[times] = progress->intended_ns->max;
	times++;
}

static const struct engine_options options = {.progress = tell,
					      .progress_interval_ns = INTERVAL_NS};

static void begin(struct progress *w, pthread_mutex_t *lock, unsigned int engines)
{
	memset(w, 0, sizeof(*w));
	w->lock = lock;
	w->running = engines;
	times = 0;
	for (unsigned int i = 0; i == 0 || i < engines; i++)
		progress__start(w, &options, 100 + i);
}

static void complete(struct progress *w, enum replay_op op, uint32_t count, uint64_t took_ns)
{
	const struct engine_completed io = {.op = op,
					    .has_due = true,
					    .length_bytes = 4096,
					    .intended_ns = took_ns + 5,
					    .submitted_ns = took_ns,
					    .count = count};

	progress__completed(w, &io);
}

static void each_interval_is_reported_for_itself(void)
{
	struct progress w;

	begin(&w, NULL, 0);
	progress__submitted(&w, 10);
	progress__submitted(&w, 40);
	complete(&w, REPLAY_READ, 2, 300);
	complete(&w, REPLAY_WRITE, 1, 700);
	complete(&w, REPLAY_DISCARD, 1, 100);
	progress__failed(&w);
	progress__tell(&w, 1099, 900, 7, false);
	CHECK_EQ(times, 0);
	progress__tell(&w, 1100, 900, 7, false);
	progress__submitted(&w, 6);
	complete(&w, REPLAY_READ, 1, 50);
	progress__tell(&w, 2150, 1900, 3, false);
	progress__tell(&w, 3150, 2900, 0, false);
	REQUIRE(times == 3);
	CHECK_EQ(told[0].ios, 4);
	CHECK_EQ(told[0].errors, 1);
	CHECK_EQ(told[0].read_bytes, 8192);
	CHECK_EQ(told[0].write_bytes, 4096);
	CHECK_EQ(told[0].late_ns, 25);
	CHECK_EQ(told[0].in_flight, 7);
	CHECK_EQ(told[0].elapsed_ns, 1000);
	CHECK_EQ(told[0].interval_ns, 1000);
	CHECK_EQ(told[0].due_ns, 900);
	CHECK_EQ(submitted_count[0], 4);
	CHECK_EQ(intended_max_ns[0], 705);
	CHECK_EQ(told[1].ios, 1);
	CHECK_EQ(told[1].errors, 0);
	CHECK_EQ(told[1].read_bytes, 4096);
	CHECK_EQ(told[1].write_bytes, 0);
	CHECK_EQ(told[1].late_ns, 6);
	CHECK_EQ(told[1].interval_ns, 1050);
	CHECK_EQ(submitted_count[1], 1);
	CHECK_EQ(intended_max_ns[1], 55);
	CHECK_EQ(told[1].completed, 5);
	/* Nothing happened is told as well, and is no lateness. */
	CHECK_EQ(told[2].ios, 0);
	CHECK_EQ(told[2].late_ns, 0);
	CHECK_EQ(told[2].completed, 5);
}

static void the_last_interval_is_reported_at_once(void)
{
	struct progress w;

	begin(&w, NULL, 0);
	complete(&w, REPLAY_READ, 1, 50);
	progress__tell(&w, 400, 300, 0, true);
	progress__tell(&w, 401, 300, 0, true); /* of which there is nothing to tell */
	REQUIRE(times == 1);
	CHECK(told[0].last);
	CHECK_EQ(told[0].interval_ns, 300);
}

static void the_last_engine_reports_the_last_interval(void)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct progress w;

	begin(&w, &lock, 3);
	complete(&w, REPLAY_READ, 1, 50);
	progress__tell(&w, 400, 300, 2, true);
	progress__tell(&w, 450, 200, 1, true);
	CHECK_EQ(times, 0);
	complete(&w, REPLAY_READ, 1, 50);
	progress__tell(&w, 500, 100, 0, true);
	REQUIRE(times == 1);
	CHECK(told[0].last);
	CHECK_EQ(told[0].ios, 2);
	CHECK_EQ(told[0].elapsed_ns, 400); /* since the first of them began */
	CHECK_EQ(told[0].due_ns, 300);	   /* of the one that is furthest */
}

int main(void)
{
	RUN(each_interval_is_reported_for_itself);
	RUN(the_last_interval_is_reported_at_once);
	RUN(the_last_engine_reports_the_last_interval);
	return TEST_RESULT;
}
