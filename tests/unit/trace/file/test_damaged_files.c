// SPDX-License-Identifier: MIT
/* Files that were cut or changed anywhere: never a crash, never a row that was not written. */
#include <errno.h>
#include <unistd.h>

#include "trace/file/block.h"
#include "trace/file/reader.h"
#include "unit/trace/original.h"

/*
 * Reads the file at `path`: true when every row is the one that was written there, all rows of the
 * whole blocks before `offset` are read, and the end is `end`.
 */
static bool reads_until(const struct original *o, uint64_t offset, enum trace_end end)
{
	uint64_t seen[ROW_KIND_COUNT] = {0}, rows = 0;
	struct row_block block;
	struct trace_reader *r;
	bool right = true;
	int got;

	if (trace_reader__open(path, &r, NULL))
		return offset < TRACE_HEAD_BYTES;
	while ((got = trace_reader__next(r, ALL_KINDS, &block)) == 1) {
		right &= same_rows(&block, seen[block.kind], o);
		seen[block.kind] += block.rows;
		rows += block.rows;
	}
	right &= got == (end == TRACE_END_DAMAGED ? -EBADMSG : 0);
	right &= trace_reader__end(r) == end && rows == rows_before(o, offset);
	trace_reader__free(r);
	return right && offset >= TRACE_HEAD_BYTES;
}

static void test_whole_files_are_read(void)
{
	REQUIRE(write_small());
	CHECK_EQ(small.rows, 4 * 320);
	CHECK(reads_until(&small, small.bytes, TRACE_END_CLEAN));
	REQUIRE(write_large());
	CHECK(reads_until(&large, large.bytes, TRACE_END_CLEAN));
	CHECK(large.count > 6 && large.blocks[large.count - 1].kind == BLOCK_END);
}

/* Cuts the file at every byte from its end down to `from`. */
static void check_cuts(const struct original *o, uint64_t from)
{
	for (uint64_t cut = o->bytes - 1; cut >= from; cut--) {
		if (truncate(path, (off_t)cut) || !reads_until(o, cut, TRACE_END_TORN)) {
			printf("# cut at byte %llu of %llu\n", (unsigned long long)cut,
			       (unsigned long long)o->bytes);
			CHECK(!"the cut file yields its whole blocks and is torn");
			return;
		}
	}
}

/* The last two blocks of each kind of rows, summary, index and end mark. */
static void test_cut_at_every_byte_of_the_last_blocks(void)
{
	uint32_t io_blocks = 0, at;

	REQUIRE(write_tiny());
	for (at = tiny.count; at && io_blocks < 2; at--)
		io_blocks += tiny.blocks[at - 1].kind == BLOCK_IO;
	REQUIRE(io_blocks == 2);
	check_cuts(&tiny, tiny.blocks[at].offset);
}

static void check_random_cuts(bool (*write)(void), const struct original *o, unsigned int count)
{
	REQUIRE(write());
	for (unsigned int i = 0; i < count; i++) {
		uint64_t cut = next_random() % o->bytes;

		REQUIRE(write() && !truncate(path, (off_t)cut));
		if (!reads_until(o, cut, TRACE_END_TORN)) {
			printf("# cut at byte %llu\n", (unsigned long long)cut);
			CHECK(!"the cut file yields its whole blocks and is torn");
		}
	}
}

static void test_cut_at_random_bytes(void)
{
	check_random_cuts(write_small, &small, 300);
	check_random_cuts(write_large, &large, 10);
}

static void check_random_flips(bool (*write)(void), const struct original *o, unsigned int count)
{
	REQUIRE(write());
	for (unsigned int i = 0; i < count; i++) {
		uint64_t offset = next_random() % o->bytes;
		uint8_t mask = (uint8_t)(1 + next_random() % 255);

		flip(offset, mask);
		if (!reads_until(o, offset, TRACE_END_DAMAGED)) {
			printf("# byte %llu changed by %02x\n", (unsigned long long)offset, mask);
			CHECK(!"the changed file yields the blocks before and is damaged");
		}
		flip(offset, mask);
	}
	CHECK(reads_until(o, o->bytes, TRACE_END_CLEAN));
}

/* 10,000 changes; most of them in the file of small blocks, which is quicker to read. */
static void test_flip_random_bytes(void)
{
	check_random_flips(write_small, &small, 9700);
	check_random_flips(write_large, &large, 300);
}

/* A valid block of a kind that a newer version must have understood, instead of the end mark. */
static void test_a_block_that_cannot_be_skipped(void)
{
	struct block_head head = {.kind = BLOCK_KIND_MANDATORY};
	uint8_t bytes[TRACE_BLOCK_HEAD_BYTES];
	uint64_t offset;
	int fd;

	REQUIRE(write_tiny());
	offset = tiny.blocks[tiny.count - 1].offset;
	block_head_put(bytes, &head);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	REQUIRE(fd >= 0);
	CHECK_EQ(pwrite(fd, bytes, sizeof(bytes), (off_t)offset), sizeof(bytes));
	close(fd);
	CHECK(reads_until(&tiny, offset, TRACE_END_DAMAGED));
}

int main(void)
{
	make_folder();
	RUN(test_whole_files_are_read);
	RUN(test_cut_at_every_byte_of_the_last_blocks);
	RUN(test_cut_at_random_bytes);
	RUN(test_flip_random_bytes);
	RUN(test_a_block_that_cannot_be_skipped);
	remove_folder();
	return TEST_RESULT;
}
