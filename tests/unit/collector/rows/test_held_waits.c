// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include "collector/rows/held_waits.h"

struct seen {
	uint64_t ends_ns[8];
	unsigned int count;
	int result;
};

static int see(const struct wait_event *event, void *context)
{
	struct seen *seen = context;

	seen->ends_ns[seen->count++ % 8] = event->end_ns;
	return seen->result;
}

static void add(struct held_waits *h, uint64_t end_ns)
{
	struct wait_event event = {.end_ns = end_ns};

	CHECK_EQ(held_waits__add(h, &event), 0);
}

static void what_ended_later_is_kept(void)
{
	struct held_waits h = {0};
	struct seen seen = {0};

	add(&h, 30);
	add(&h, 10);
	add(&h, 20);
	CHECK_EQ(held_waits__release(&h, 20, see, &seen), 0);
	CHECK_EQ(seen.count, 2);
	CHECK_EQ(seen.ends_ns[0], 10);
	CHECK_EQ(seen.ends_ns[1], 20);
	add(&h, 25);
	CHECK_EQ(held_waits__release(&h, UINT64_MAX, see, &seen), 0);
	CHECK_EQ(seen.count, 4);
	CHECK_EQ(seen.ends_ns[2], 30);
	CHECK_EQ(seen.ends_ns[3], 25);
	CHECK_EQ(h.count, 0);
	held_waits__free(&h);
}

static void an_error_is_returned(void)
{
	struct held_waits h = {0};
	struct seen seen = {.result = -5};

	for (unsigned int i = 0; i < 3000; i++)
		add(&h, i);
	CHECK_EQ(held_waits__release(&h, UINT64_MAX, see, &seen), -5);
	CHECK_EQ(seen.count, 1);
	CHECK_EQ(h.count, 2999);
	held_waits__free(&h);
}

int main(void)
{
	RUN(what_ended_later_is_kept);
	RUN(an_error_is_returned);
	return TEST_RESULT;
}
