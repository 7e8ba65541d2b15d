// SPDX-License-Identifier: MIT
/* A source several times over: its times go on, and so does its rate. */
#include "unit/shared/test.h"

#include <errno.h>
#include <stdlib.h>

#include "replay/source/repeat.h"

struct two_ios {
	struct replay_source base;
	unsigned int given;
};

static unsigned int begun, freed;

static int next(struct replay_source *base, struct replay_io *io)
{
	struct two_ios *s = (struct two_ios *)base;

	if (s->given == 2)
		return 0;
	/* When the second completed is not known. */
	*io = s->given ? (struct replay_io){.due_ns = 70}
		       : (struct replay_io){.due_ns = 10, .done_ns = 25};
	s->given++;
	return 1;
}

static void free_two(struct replay_source *base)
{
	freed++;
	free(base);
}

static int again(void *context, struct replay_source **source)
{
	static const struct replay_source_ops ops = {.next = next, .free = free_two};
	struct two_ios *s = calloc(1, sizeof(*s));

	(void)context;
	replay_source__free(*source);
	*source = NULL;
	if (!s)
		return -ENOMEM;
	s->base.ops = &ops;
	*source = &s->base;
	begun++;
	return 0;
}

static int begin(uint64_t rounds, uint64_t period_ns, struct replay_source **source)
{
	struct repeat_options options = {.rounds = rounds, .period_ns = period_ns, .again = again};

	begun = freed = 0;
	return repeat__create(&options, source);
}

static void each_round_is_a_period_later(void)
{
	struct replay_source *source;
	struct replay_io io;

	REQUIRE(!begin(3, 130, &source));
	CHECK_EQ(begun, 0);
	for (uint64_t round = 0; round < 3; round++) {
		CHECK_EQ(replay_source__next(source, &io), 1);
		CHECK_EQ(io.due_ns, 130 * round + 10);
		CHECK_EQ(io.done_ns, 130 * round + 25);
		CHECK_EQ(replay_source__next(source, &io), 1);
		CHECK_EQ(io.due_ns, 130 * round + 70);
		CHECK_EQ(io.done_ns, 0);
		CHECK_EQ(begun, round + 1);
	}
	CHECK_EQ(replay_source__next(source, &io), 0);
	CHECK_EQ(replay_source__next(source, &io), 0);
	CHECK_EQ(begun, 3);
	replay_source__free(source);
	CHECK_EQ(freed, 3);
}

static void times_that_cannot_be_counted_are_an_error(void)
{
	struct replay_source *source;
	struct replay_io io;

	REQUIRE(!begin(4, UINT64_MAX / 2, &source));
	for (unsigned int i = 0; i < 6; i++)
		CHECK_EQ(replay_source__next(source, &io), 1);
	CHECK_EQ(replay_source__next(source, &io), -ERANGE);
	replay_source__free(source);
}

static void repetition_keeps_the_rate(void)
{
	CHECK_EQ(repeat__period_ns(11, 1000), 1100);
	CHECK_EQ(repeat__period_ns(2, 70), 140);
	CHECK_EQ(repeat__period_ns(1, 70), 70);
	CHECK_EQ(repeat__period_ns(0, 0), 0);
}

int main(void)
{
	RUN(each_round_is_a_period_later);
	RUN(times_that_cannot_be_counted_are_an_error);
	RUN(repetition_keeps_the_rate);
	return TEST_RESULT;
}
