// SPDX-License-Identifier: MIT
/* The ring between a source and who submits: everything in order, and when it is filled again. */
#include "unit/shared/test.h"

#include <stdatomic.h>
#include <time.h>

#include "replay/engine/reader_thread.h"

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

static void take(struct reader_thread *f, unsigned int count)
{
	const struct replay_io *io;

	for (unsigned int i = 0; i < count; i++) {
		REQUIRE(reader_thread__peek(f, &io) == READER_THREAD_READY);
		reader_thread__advance(f);
	}
}

static void the_reader_gives_all_ios_in_order(void)
{
	struct counting_source source = {.base = {&counting_ops}, .end = 100003};
	const struct replay_io *io;
	enum reader_thread_state state;
	struct reader_thread *reader_thread;
	uint64_t seen = 0, wrong = 0;

	REQUIRE(!reader_thread__start(&source.base, &reader_thread));
	while ((state = reader_thread__peek(reader_thread, &io)) != READER_THREAD_END) {
		if (state != READER_THREAD_READY)
			continue;
		wrong += io->due_ns != seen++;
		reader_thread__advance(reader_thread);
	}
	CHECK_EQ(seen, source.end);
	CHECK_EQ(wrong, 0);
	reader_thread__free(reader_thread);
}

static void the_reader_refills_a_half_empty_buffer(void)
{
	struct counting_source source = {.base = {&counting_ops}, .end = UINT64_MAX};
	struct reader_thread *reader_thread;

	REQUIRE(!reader_thread__start(&source.base, &reader_thread));
	CHECK_EQ(given(&source, READER_THREAD_IOS), READER_THREAD_IOS);
	take(reader_thread, READER_THREAD_IOS / 2 - 1);
	CHECK_EQ(given(&source, READER_THREAD_IOS), READER_THREAD_IOS);
	take(reader_thread, 1);
	CHECK_EQ(given(&source, READER_THREAD_IOS + READER_THREAD_IOS / 2),
		 READER_THREAD_IOS + READER_THREAD_IOS / 2);
	reader_thread__free(reader_thread);
}

/* One of two may wait behind IOs of the other: there is always as much ahead of both as there can be. */
static void the_reader_keeps_it_full_for_several_consumers(void)
{
	const struct sharing_options options = {.workers = 2, .window = READER_THREAD_IOS};
	struct counting_source source = {.base = {&counting_ops}, .end = UINT64_MAX};
	struct sharing *sharing;
	struct reader_thread *reader_thread;

	REQUIRE(!sharing__create(&options, &sharing));
	REQUIRE(!reader_thread__start_shared(&source.base, sharing, 2, &reader_thread));
	for (unsigned int worker = 0; worker < 2; worker++)
		for (unsigned int i = 0; i < 64; i++)
			reader_thread__pass(reader_thread, &reader_thread->consumer[worker]);
	CHECK_EQ(given(&source, READER_THREAD_IOS + 64), READER_THREAD_IOS + 64);
	reader_thread__free(reader_thread);
	sharing__free(sharing);
}

int main(void)
{
	RUN(the_reader_gives_all_ios_in_order);
	RUN(the_reader_refills_a_half_empty_buffer);
	RUN(the_reader_keeps_it_full_for_several_consumers);
	return TEST_RESULT;
}
