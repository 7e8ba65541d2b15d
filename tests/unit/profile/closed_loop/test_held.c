// SPDX-License-Identifier: MIT
/* IOs that are kept back until it is decided when they complete. */
#include "unit/shared/test.h"

#include "profile/closed_loop/held.h"

static struct closed_held held;

static void add(uint64_t created_ns)
{
	const struct closed_row row = {.row.created_ns = created_ns};

	closed_held_add(&held, &row);
}

static void what_is_decided_stays(void)
{
	struct closed_row row;

	REQUIRE(!closed_held_init(&held));
	CHECK(closed_held_is_empty(&held));
	add(0);
	add(100);
	CHECK(!closed_held_is_empty(&held));
	CHECK(!closed_held_is_decided(&held, 0));
	closed_held_decide(&held, 1, 30);
	closed_held_decide(&held, 1, 40);
	/* In no time, at time 0: it is decided as well. */
	closed_held_decide(&held, 0, 0);
	CHECK(closed_held_is_decided(&held, 0));
	CHECK_EQ(closed_held_completed_ns(&held, 0), 1);
	CHECK_EQ(closed_held_completed_ns(&held, 1), 130);
	closed_held_take(&held, &row);
	CHECK_EQ(row.row.completed_ns, 1);
	CHECK(closed_held_is_decided(&held, 0));
	closed_held_decide(&held, 0, 70);
	CHECK_EQ(closed_held_completed_ns(&held, 0), 1);
	closed_held_take(&held, &row);
	CHECK_EQ(row.row.created_ns, 100);
	CHECK_EQ(row.row.completed_ns, 130);
	CHECK(closed_held_is_empty(&held));
	closed_held_release(&held);
}

static void there_is_room_for_so_many(void)
{
	struct closed_row row;

	REQUIRE(!closed_held_init(&held));
	for (uint64_t i = 0; i < CLOSED_HELD_MAX; i++) {
		CHECK(!closed_held_is_full(&held));
		add(i);
		closed_held_decide(&held, i, 5);
	}
	CHECK(closed_held_is_full(&held));
	CHECK_EQ(closed_held_completed_ns(&held, 0), 5);
	closed_held_take(&held, &row);
	CHECK(!closed_held_is_full(&held));
	CHECK_EQ(closed_held_completed_ns(&held, 0), 5);
	/* Its place is another's now. */
	add(7000);
	CHECK(closed_held_is_decided(&held, 0));
	CHECK_EQ(closed_held_completed_ns(&held, 0), 0);
	CHECK_EQ(closed_held_completed_ns(&held, 1), 6);
	CHECK(!closed_held_is_decided(&held, CLOSED_HELD_MAX));
	closed_held_release(&held);
}

int main(void)
{
	RUN(what_is_decided_stays);
	RUN(there_is_room_for_so_many);
	return TEST_RESULT;
}
