// SPDX-License-Identifier: MIT
/* A reader returns only true rows of a small file that was cut or changed at any byte. */
#include <errno.h>

#include "unit/trace/made_rows.h"

static void test_cut_at_every_byte(void)
{
	uint64_t rows = 0;
	uint8_t *content;
	size_t bytes;

	make_rows(20);
	REQUIRE(!write_file(20, &summary, 1));
	content = load(&bytes);
	REQUIRE(content);
	for (size_t cut = 0; cut < bytes; cut++) {
		struct outcome outcome;

		REQUIRE(store(content, cut));
		outcome = read_file(20);
		CHECK_EQ(outcome.open_err, cut < TRACE_HEAD_BYTES ? -ENODATA : 0);
		if (outcome.open_err)
			continue;
		CHECK_EQ(outcome.err, 0);
		CHECK_EQ(outcome.end, TRACE_END_TORN);
		CHECK(outcome.all_true);
		/* With each further byte as many rows or more are read, the last one all. */
		CHECK(outcome.rows >= rows);
		rows = outcome.rows;
	}
	CHECK_EQ(rows, 80);
	free(content);
}

static void test_flip_every_byte(void)
{
	uint8_t *content;
	size_t bytes;

	make_rows(20);
	REQUIRE(!write_file(20, &summary, 1));
	content = load(&bytes);
	REQUIRE(content);
	for (size_t at = 0; at < bytes; at++) {
		for (unsigned int mask = 1; mask < 256; mask = mask == 1 ? 0x80 : 4 * mask) {
			struct outcome outcome;

			content[at] ^= (uint8_t)mask;
			REQUIRE(store(content, bytes));
			outcome = read_file(20);
			if (outcome.open_err) {
				CHECK(at < TRACE_HEAD_BYTES);
				CHECK(outcome.open_err == -EINVAL || outcome.open_err == -EBADMSG);
			} else {
				CHECK_EQ(outcome.err, -EBADMSG);
				CHECK_EQ(outcome.end, TRACE_END_DAMAGED);
				CHECK(outcome.all_true);
			}
			content[at] ^= (uint8_t)mask;
		}
	}
	free(content);
}

static void test_bytes_after_the_end(void)
{
	struct outcome outcome;
	uint8_t *content;
	size_t bytes;
	int fd;

	make_rows(20);
	REQUIRE(!write_file(20, &summary, 1));
	fd = open(path, O_WRONLY | O_APPEND);
	REQUIRE(write(fd, "x", 1) == 1);
	close(fd);
	outcome = read_file(20);
	CHECK_EQ(outcome.end, TRACE_END_DAMAGED);
	CHECK_EQ(outcome.rows, 80);
	/* Garbage at the start of a block is no torn block, even if it is short. */
	REQUIRE(!write_file(20, NULL, 1));
	content = load(&bytes);
	REQUIRE(content && store(content, bytes));
	fd = open(path, O_WRONLY | O_APPEND);
	REQUIRE(write(fd, "RBx", 3) == 3);
	close(fd);
	outcome = read_file(20);
	CHECK_EQ(outcome.end, TRACE_END_DAMAGED);
	free(content);
}

/* Without one whole block all checksums are right; the end mark shows the loss. */
static void test_missing_block(void)
{
	size_t bytes, first = TRACE_HEAD_BYTES, length;
	struct outcome outcome;
	uint8_t *content;

	make_rows(20);
	REQUIRE(!write_file(20, &summary, 1));
	content = load(&bytes);
	REQUIRE(content);
	while (content[first + 4] != BLOCK_IO)
		first += TRACE_BLOCK_HEAD_BYTES + (content[first + 16] | content[first + 17] << 8);
	length = TRACE_BLOCK_HEAD_BYTES + (content[first + 16] | (size_t)content[first + 17] << 8);
	memmove(content + first, content + first + length, bytes - first - length);
	REQUIRE(store(content, bytes - length));
	outcome = read_file(20);
	CHECK_EQ(outcome.end, TRACE_END_DAMAGED);
	free(content);
}

static void test_no_end_mark(void)
{
	struct outcome outcome;

	make_rows(20);
	REQUIRE(!write_file(20, NULL, 1));
	outcome = read_file(20);
	CHECK_EQ(outcome.end, TRACE_END_TORN);
	CHECK_EQ(outcome.rows, 80);
	CHECK(outcome.all_true);
}

int main(void)
{
	make_folder();
	RUN(test_cut_at_every_byte);
	RUN(test_flip_every_byte);
	RUN(test_bytes_after_the_end);
	RUN(test_missing_block);
	RUN(test_no_end_mark);
	remove_folder();
	return TEST_RESULT;
}
