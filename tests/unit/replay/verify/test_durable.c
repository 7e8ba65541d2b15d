// SPDX-License-Identifier: MIT
/* Which writes have completed, and which a flush has made durable, in whatever order they come. */
#include "unit/shared/test.h"

#include "replay/verify/durable.h"

static struct durable_progress progress;

static struct durable start(void)
{
	atomic_store(&progress.completed, 0);
	atomic_store(&progress.durable, 0);
	atomic_store(&progress.failed, 0);
	return (struct durable){.progress = &progress};
}

static void check(uint64_t completed, uint64_t durable)
{
	CHECK_EQ(atomic_load(&progress.completed), completed);
	CHECK_EQ(atomic_load(&progress.durable), durable);
}

static void a_missing_write_holds_back_later_ones(void)
{
	struct durable d = start();

	durable__complete(&d, 2, 0);
	durable__complete(&d, 4, 0);
	durable__complete(&d, 0, 0);
	check(0, 0);
	durable__complete(&d, 1, 0);
	check(2, 0);
	durable__complete(&d, 3, 1);
	check(4, 0);
	CHECK_EQ(atomic_load(&progress.failed), 1);
	durable__complete(&d, 3, 1);
	CHECK_EQ(atomic_load(&progress.failed), 1);
}

static void a_flush_covers_writes_completed_before_it_began(void)
{
	struct durable d = start();
	uint64_t early, late;

	durable__complete(&d, 1, 0);
	early = durable__mark(&d);
	durable__complete(&d, 2, 0);
	late = durable__mark(&d);
	durable__complete(&d, 3, 0);
	durable__flushed(&d, late);
	check(3, 2);
	durable__flushed(&d, early);
	check(3, 2);
}

static void the_window_wraps_around(void)
{
	struct durable d = start();
	uint64_t n = 1;

	for (; n <= 3ull * DURABLE_WINDOW; n += 2) {
		durable__complete(&d, n + 1, 0);
		durable__complete(&d, n, 0);
	}
	check(n - 1, 0);
	/* Farther ahead than there are bits: never claimed. */
	durable__complete(&d, n + DURABLE_WINDOW, 0);
	durable__complete(&d, n + DURABLE_WINDOW - 1, 0);
	for (uint64_t i = 0; i < DURABLE_WINDOW - 1; i++)
		durable__complete(&d, n + i, 0);
	check(n + DURABLE_WINDOW - 1, 0);
}

int main(void)
{
	RUN(a_missing_write_holds_back_later_ones);
	RUN(a_flush_covers_writes_completed_before_it_began);
	RUN(the_window_wraps_around);
	return TEST_RESULT;
}
