// SPDX-License-Identifier: MIT
/* The parties of a replay as text, and back; the IOs themselves are in tests/bats/replay_without.bats. */
#include "trace/streams/left_out.h"

#include <errno.h>
#include <string.h>

#include "unit/shared/test.h"

static void parties_become_text_and_parties_again(void)
{
	const char *const parties[] = {"task=dd", "file=/srv/a, b", "cgroup=/db"};
	const char *again[4] = {NULL};
	char text[128];

	CHECK_TEXT(left_out_text(parties, 3, text, sizeof(text)),
		   "task=dd, file=/srv/a, b, cgroup=/db");
	REQUIRE(left_out_split(text, again, 4) == 3);
	for (unsigned int i = 0; i < 3; i++)
		CHECK_TEXT(again[i], parties[i]);
	CHECK_TEXT(left_out_text(parties, 0, text, sizeof(text)), "");
	CHECK_EQ(left_out_split(text, again, 4), 0);
	/* A text that is cut ends there. */
	left_out_text(parties, 3, text, 10);
	CHECK_TEXT(text, "task=dd, ");
}

static void what_is_no_party_is_named(void)
{
	const char *const wrong_ones[] = {"dd", "task=", "pid=1", ""};
	struct left_out *left;
	const char *wrong;

	for (unsigned int i = 0; i < 4; i++) {
		const char *const parties[] = {"task=dd", wrong_ones[i]};

		CHECK_EQ(left_out__create(parties, 2, &left, &wrong), -EINVAL);
		CHECK_TEXT(wrong, wrong_ones[i]);
		CHECK(left == NULL);
	}
	CHECK_EQ(left_out__create(wrong_ones, 0, &left, &wrong), 0);
	CHECK(left == NULL);
	CHECK_EQ(left_out__has(left, NULL, NULL), 0);
}

int main(void)
{
	RUN(parties_become_text_and_parties_again);
	RUN(what_is_no_party_is_named);
	return TEST_RESULT;
}
