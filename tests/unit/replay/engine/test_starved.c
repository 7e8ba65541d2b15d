// SPDX-License-Identifier: MIT
/* A source that is slower than the engine. */
#include "unit/shared/test.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "base/units.h"
#include "replay/engine/engine.h"

/* The thread that reads the source hands on 32 at once, and the engine waits half a second for the first. */
#define IOS	 64u
#define PAUSE_NS (20 * NSEC_PER_MSEC)

struct slow_source {
	struct replay_source base;
	unsigned int count;
};

static int slow_next(struct replay_source *base, struct replay_io *io)
{
	struct slow_source *s = (struct slow_source *)base;

	nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
	*io = (struct replay_io){.op = REPLAY_FLUSH};
	return s->count++ < IOS;
}

static void slow_free(struct replay_source *base)
{
}

static const struct replay_source_ops slow_ops = {slow_next, slow_free};

static void check_starved(enum engine_spin spin)
{
	static struct engine_result result;
	char path[] = "/tmp/blkreel-test-XXXXXX", message[ENGINE_MESSAGE_MAX];
	struct slow_source source = {.base = {&slow_ops}};
	struct engine_options options = {
		.mode = ENGINE_ASAP, .spin = spin, .speed = 1, .iodepth = 8, .fd = mkstemp(path)};

	REQUIRE(options.fd >= 0);
	unlink(path);
	CHECK_EQ(engine__run(&options, &source.base, &result, message), 0);
	CHECK_EQ(result.ops[REPLAY_FLUSH].completed, IOS);
	CHECK(result.starved >= 1 && result.starved <= 3);
	close(options.fd);
}

static void a_source_that_is_not_ready_counts_once_while_the_engine_sleeps(void)
{
	check_starved(ENGINE_SPIN_NEVER);
}

static void a_source_that_is_not_ready_counts_once_while_the_engine_polls(void)
{
	check_starved(ENGINE_SPIN_ALWAYS);
}

int main(void)
{
	RUN(a_source_that_is_not_ready_counts_once_while_the_engine_sleeps);
	RUN(a_source_that_is_not_ready_counts_once_while_the_engine_polls);
	return TEST_RESULT;
}
