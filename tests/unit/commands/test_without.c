// SPDX-License-Identifier: MIT
/* How long tasks waited behind parties that a replay left out. */
#include "unit/shared/test.h"

/* The library of the tests has no commands. */
#include "commands/compare/without.c"

/* A commit of the journal wrote for ledger what cp had copied; both read the device. */
static struct explain_blame pairs[] = {
	{BLAME_BY_TASK, BLAME_IN_JOURNAL, "ledger", "ledger", 300, 0, false},
	{BLAME_BY_TASK, BLAME_IN_JOURNAL, "ledger", "cp", 120, 0, false},
	{BLAME_BY_TASK, BLAME_IN_DEVICE, "cp", "cp", 9, 9, false},
	{BLAME_BY_TASK, BLAME_IN_DEVICE, "ledger", "cp", 7, 7, false},
	{BLAME_BY_TASK, BLAME_IN_SCHEDULER, "ledger", "fio", 5, 4, false},
	{BLAME_BY_FILE, BLAME_IN_JOURNAL, "/srv/ledger", "/srv/copy1", 43, 43, false},
	{BLAME_BY_FILE, BLAME_IN_WRITEBACK, "/srv/ledger", "/srv/copy2", 20, 20, false},
	{BLAME_BY_FILE, BLAME_IN_JOURNAL, "/srv/copy1", "/srv/copy2", 6, 6, false},
};

static const struct explain_waits waits = {.blame = pairs,
					   .blame_count = sizeof(pairs) / sizeof(pairs[0])};

static struct blamed behind(const char *one, const char *other)
{
	struct without w = {.list = {one, other}, .count = other ? 2 : 1};

	return blamed_on(&w, &waits);
}

static void waiting_counts_wherever_it_was(void)
{
	CHECK_EQ(behind("task=cp", NULL).ns, 127);
	CHECK_EQ(behind("task=fio", NULL).named_ns, 4);
	CHECK_EQ(behind("file=/srv/copy1", NULL).named_ns, 43);
	CHECK_EQ(behind("task=nobody", NULL).ns, 0);
}

/* Rows of the kernel's IOs do not have the name of who wrote the pages. */
static void a_program_whose_ios_the_kernel_submits_is_not_left_out(void)
{
	CHECK_EQ(behind("task=cp", NULL).named_ns, 7);
}

static void parties_do_not_wait_behind_each_other(void)
{
	CHECK_EQ(behind("file=/srv/copy1", "file=/srv/copy2").named_ns, 63);
	CHECK_EQ(behind("file=/srv/copy2", NULL).named_ns, 26);
}

int main(void)
{
	RUN(waiting_counts_wherever_it_was);
	RUN(a_program_whose_ios_the_kernel_submits_is_not_left_out);
	RUN(parties_do_not_wait_behind_each_other);
	return TEST_RESULT;
}
