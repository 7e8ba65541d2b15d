// SPDX-License-Identifier: MIT
/* The ring between a source and who submits: everything in order, and when it is filled again. */
#include "unit/shared/test.h"

#include <stdatomic.h>
#include <time.h>

#include "replay/engine/feeder.h"

#define WAIT_MS	   10000 /* for what must come */
#define SILENCE_MS 30	 /* in which what must not come would have */

/* IO after IO, each due at its number; `end` of them. */
struct counting_source {
	struct replay_source base;
	atomic_ullong given;
	uint64_t end;
};

static int count_on(struct replay_source *base, struct replay_io *io)
{
	struct counting_source *s = (struct counting_source *)base;
	uint64_t number = atomic_load(&s->given);

	if (number == s->end)
		return 0;
	*io = (struct replay_io){.due_ns = number};
	atomic_store(&s->given, number + 1);
	return 1;
}

static void count_free(struct replay_source *base)
{
}

static const struct replay_source_ops counting_ops = {count_on, count_free};

static void sleep_ms(unsigned int ms)
{
	struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000l};

	nanosleep(&time, NULL);
}

/* How many the source gave, at least `least` if it gives so many at all. */
static uint64_t given(struct counting_source *s, uint64_t least)
{
	for (unsigned int ms = 0; ms < WAIT_MS && atomic_load(&s->given) < least; ms++)
		sleep_ms(1);
	sleep_ms(SILENCE_MS);
	return atomic_load(&s->given);
}

static void take(struct feeder *f, unsigned int count)
{
	const struct replay_io *io;

	for (unsigned int i = 0; i < count; i++) {
		REQUIRE(feeder__peek(f, &io) == FEEDER_READY);
		feeder__advance(f);
	}
}

static void it_gives_everything_in_order(void)
{
	struct counting_source source = {.base = {&counting_ops}, .end = 100003};
	const struct replay_io *io;
	enum feeder_state state;
	struct feeder *feeder;
	uint64_t seen = 0, wrong = 0;

	REQUIRE(!feeder__start(&source.base, &feeder));
	while ((state = feeder__peek(feeder, &io)) != FEEDER_END) {
		if (state != FEEDER_READY)
			continue;
		wrong += io->due_ns != seen++;
		feeder__advance(feeder);
	}
	CHECK_EQ(seen, source.end);
	CHECK_EQ(wrong, 0);
	feeder__free(feeder);
}

static void it_is_filled_again_when_half_of_it_is_gone(void)
{
	struct counting_source source = {.base = {&counting_ops}, .end = UINT64_MAX};
	struct feeder *feeder;

	REQUIRE(!feeder__start(&source.base, &feeder));
	CHECK_EQ(given(&source, FEEDER_IOS), FEEDER_IOS);
	take(feeder, FEEDER_IOS / 2 - 1);
	CHECK_EQ(given(&source, FEEDER_IOS), FEEDER_IOS);
	take(feeder, 1);
	CHECK_EQ(given(&source, FEEDER_IOS + FEEDER_IOS / 2), FEEDER_IOS + FEEDER_IOS / 2);
	feeder__free(feeder);
}

/* One of two may wait behind IOs of the other: there is always as much ahead of both as there can be. */
static void with_several_consumers_it_is_always_full(void)
{
	const struct sharing_options options = {.workers = 2, .window = FEEDER_IOS};
	struct counting_source source = {.base = {&counting_ops}, .end = UINT64_MAX};
	struct sharing *sharing;
	struct feeder *feeder;

	REQUIRE(!sharing__create(&options, &sharing));
	REQUIRE(!feeder__start_shared(&source.base, sharing, 2, &feeder));
	for (unsigned int worker = 0; worker < 2; worker++)
		for (unsigned int i = 0; i < 64; i++)
			feeder__pass(feeder, &feeder->consumer[worker]);
	CHECK_EQ(given(&source, FEEDER_IOS + 64), FEEDER_IOS + 64);
	feeder__free(feeder);
	sharing__free(sharing);
}

int main(void)
{
	RUN(it_gives_everything_in_order);
	RUN(it_is_filled_again_when_half_of_it_is_gone);
	RUN(with_several_consumers_it_is_always_full);
	return TEST_RESULT;
}
