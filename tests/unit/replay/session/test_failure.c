// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <errno.h>
#include <string.h>

#include "base/exit_codes.h"
#include "replay/session/failure.h"

static void each_message_is_a_line_and_the_first_code_counts(void)
{
	struct failure f = {0};

	CHECK_EQ(failure_add(&f, EXIT_USAGE, "%s: %d", "a", 7), -1);
	CHECK_TEXT(f.text, "a: 7");
	CHECK_EQ(failure_add_errno(&f, -ENOENT, "b"), -1);
	CHECK_TEXT(f.text, "a: 7\nb: No such file or directory");
	CHECK_EQ(f.exit_code, EXIT_USAGE);
}

static void code_without_message(void)
{
	struct failure f = {0};

	CHECK_EQ(failure_add_code(&f, 130), -1);
	CHECK_TEXT(f.text, "");
	failure_add(&f, EXIT_FAILED, "late");
	CHECK_TEXT(f.text, "late");
	CHECK_EQ(f.exit_code, 130);
}

static void merge_adds_lines_and_keeps_the_first_code(void)
{
	struct failure f = {0}, other = {0};

	failure_merge(&f, &other);
	CHECK_EQ(f.exit_code, 0);
	failure_add_errno(&other, EIO, "c");
	failure_merge(&f, &other);
	failure_merge(&f, &other);
	CHECK_TEXT(f.text, "c: Input/output error\nc: Input/output error");
	CHECK_EQ(f.exit_code, EXIT_FAILED);
}

static void control_characters_make_no_line(void)
{
	struct failure f = {0};

	failure_add(&f, EXIT_FAILED, "%s", "one\ntwo\033[1m");
	CHECK_TEXT(f.text, "one?two?[1m");
}

static void long_text_is_cut(void)
{
	static char name[FAILURE_TEXT_MAX + 9];
	struct failure f = {0}, other = {0};

	memset(name, 'x', sizeof(name) - 1);
	failure_add(&f, EXIT_FAILED, "%s", name);
	failure_add_errno(&f, EIO, "%s", name);
	failure_add(&other, EXIT_FAILED, "more");
	failure_merge(&f, &other);
	CHECK_EQ(strlen(f.text), FAILURE_TEXT_MAX - 1);
}

int main(void)
{
	RUN(each_message_is_a_line_and_the_first_code_counts);
	RUN(code_without_message);
	RUN(merge_adds_lines_and_keeps_the_first_code);
	RUN(control_characters_make_no_line);
	RUN(long_text_is_cut);
	return TEST_RESULT;
}
