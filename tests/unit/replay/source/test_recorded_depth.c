// SPDX-License-Identifier: MIT
/* How many IOs of a source were in flight when they were recorded. */
#include "replay/source/recorded_depth.h"
#include "unit/shared/test.h"

struct list_source {
	struct replay_source base;
	const struct replay_io *ios;
	unsigned int count, next;
};

static int next(struct replay_source *base, struct replay_io *io)
{
	struct list_source *s = (struct list_source *)base;

	if (s->next == s->count)
		return 0;
	*io = s->ios[s->next++];
	return 1;
}

static const struct replay_source_ops ops = {.next = next};

static uint32_t highest_of(const struct replay_io *ios, unsigned int count)
{
	struct list_source list = {.base.ops = &ops, .ios = ios, .count = count};
	struct replay_source *source;
	struct replay_io io;
	unsigned int given = 0;
	uint32_t highest;

	if (recorded_depth__create(&list.base, &source))
		abort();
	for (; replay_source__next(source, &io) > 0; given++)
		CHECK_EQ(io.due_ns, ios[given].due_ns);
	CHECK_EQ(given, count);
	highest = recorded_depth__highest(source);
	replay_source__free(source);
	return highest;
}

static void ios_in_flight_at_once_are_counted(void)
{
	const struct replay_io one_after_the_other[] = {{.due_ns = 0, .done_ns = 10},
							{.due_ns = 10, .done_ns = 20},
							{.due_ns = 30, .done_ns = 31}};
	/* The device may have had them one after the other: the others were in the queue. */
	const struct replay_io burst[] = {{.due_ns = 5, .done_ns = 100},
					  {.due_ns = 5, .done_ns = 200},
					  {.due_ns = 6, .done_ns = 300},
					  {.due_ns = 250, .done_ns = 400}};

	CHECK_EQ(highest_of(one_after_the_other, 3), 1);
	CHECK_EQ(highest_of(burst, 4), 3);
}

static void ios_without_a_completion_do_not_count(void)
{
	const struct replay_io ios[] = {{.due_ns = 0}, {.due_ns = 0}, {.due_ns = 1}};
	const struct replay_io mixed[] = {{.due_ns = 0}, {.due_ns = 0, .done_ns = 9}};

	CHECK_EQ(highest_of(ios, 0), 0);
	CHECK_EQ(highest_of(ios, 3), 0);
	CHECK_EQ(highest_of(mixed, 2), 1);
}

int main(void)
{
	RUN(ios_in_flight_at_once_are_counted);
	RUN(ios_without_a_completion_do_not_count);
	return TEST_RESULT;
}
