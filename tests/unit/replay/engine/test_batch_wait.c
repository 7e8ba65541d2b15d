// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include "replay/engine/batch_wait.h"

static void batch_is_a_quarter_of_the_depth(void)
{
	CHECK_EQ(batch_wait__default(1, 64), 1);
	CHECK_EQ(batch_wait__default(7, 64), 1);
	CHECK_EQ(batch_wait__default(32, 64), 8);
	CHECK_EQ(batch_wait__default(16384, 64), 64);
}

static void whole_batches_are_waited_for_again(void)
{
	struct batch_wait w = {.count = 8};

	for (int i = 0; i < 10; i++) {
		CHECK_EQ(batch_wait__next(&w), 8);
		batch_wait__ended(&w, 8 + (uint32_t)i);
	}
}

/* How many completions are taken one by one until a batch is waited for. */
static uint32_t singles(struct batch_wait *w)
{
	uint32_t count = 0;

	while (batch_wait__next(w) == 1) {
		batch_wait__ended(w, 1);
		count++;
	}
	return count;
}

static void a_wait_in_vain_is_repeated_less_and_less_often(void)
{
	struct batch_wait w = {.count = 8};

	batch_wait__ended(&w, 7);
	CHECK_EQ(singles(&w), 64);
	batch_wait__ended(&w, 0);
	CHECK_EQ(singles(&w), 128);
	for (int i = 0; i < 10; i++) {
		batch_wait__ended(&w, 4);
		CHECK(singles(&w) <= 4096);
	}
	batch_wait__ended(&w, 4);
	CHECK_EQ(singles(&w), 4096);
	/* A batch that came in time forgets it. */
	batch_wait__ended(&w, 8);
	batch_wait__ended(&w, 7);
	CHECK_EQ(singles(&w), 64);
}

static void completions_that_come_together_count_each(void)
{
	struct batch_wait w = {.count = 8};

	batch_wait__ended(&w, 0);
	batch_wait__ended(&w, 60);
	CHECK_EQ(batch_wait__next(&w), 1);
	batch_wait__ended(&w, 5);
	CHECK_EQ(batch_wait__next(&w), 8);
}

int main(void)
{
	RUN(batch_is_a_quarter_of_the_depth);
	RUN(whole_batches_are_waited_for_again);
	RUN(a_wait_in_vain_is_repeated_less_and_less_often);
	RUN(completions_that_come_together_count_each);
	return TEST_RESULT;
}
