// SPDX-License-Identifier: MIT
/* Repair recovers every whole block and counts the rows of the others. */
#include <fcntl.h>
#include <unistd.h>

#include "trace/file/reader.h"
#include "trace/repair/repair.h"
#include "trace/repair/verify.h"
#include "unit/trace/original.h"

static char repaired[80];

static const struct block *block_at(const struct original *o, uint64_t offset)
{
	for (uint32_t i = 0; i < o->count; i++)
		if (offset >= o->blocks[i].offset && offset < o->blocks[i].end)
			return &o->blocks[i];
	return NULL;
}

static bool repair_it(struct repair_result *result)
{
	struct trace_verification verification;
	const char *message;
	struct repair *r;
	int err;

	if (trace_repair__open(path, &r, &message))
		return false;
	err = trace_repair__run(r, repaired, result);
	trace_repair__free(r);
	return !err && !trace_verify(repaired, &verification, &message) &&
	       !verification.problem_count;
}

/* The content of the repaired file. */
struct recovered {
	bool original; /* only rows that were written, in their order */
	uint64_t rows; /* of the original */
	uint64_t lost; /* by its loss rows */
	enum trace_end end;
};

static bool is_repair_loss(const struct row_block *block)
{
	return block->kind == ROW_LOSS && block->loss[0].class == LOSS_FILE_DAMAGE;
}

/* The next original block that the rows can be; o->count: there is none. */
static uint32_t find_block(const struct original *o, const struct row_block *block, uint32_t from)
{
	while (from < o->count &&
	       !(o->blocks[from].kind == row_block_kind(block->kind) &&
		 o->blocks[from].rows == block->rows && same_rows(block, o->blocks[from].row, o)))
		from++;
	return from;
}

static struct recovered read_repaired(const struct original *o)
{
	struct recovered found = {.original = true};
	struct row_block block;
	struct trace_reader *r;
	uint32_t at = 0;

	if (trace_reader__open(repaired, &r, NULL))
		return (struct recovered){0};
	while (trace_reader__next(r, ALL_KINDS, &block) == 1) {
		if (is_repair_loss(&block)) {
			for (uint32_t i = 0; i < block.rows; i++) {
				found.lost += block.loss[i].count;
				found.original &= block.loss[i].from_ns &&
						  block.loss[i].from_ns <= block.loss[i].to_ns;
			}
			continue;
		}
		at = find_block(o, &block, at);
		found.original &= at++ < o->count;
		found.rows += block.rows;
	}
	found.end = trace_reader__end(r);
	trace_reader__free(r);
	return found;
}

/* One changed byte costs only its block, and the lost rows are counted exactly. */
static void check_repaired_flips(bool (*write)(void), const struct original *o, unsigned int count)
{
	REQUIRE(write());
	for (unsigned int i = 0; i < count; i++) {
		uint64_t offset = next_random() % o->bytes;
		const struct block *block = block_at(o, offset);
		uint64_t lost = block ? block->rows : 0;
		struct repair_result result;
		struct recovered found;

		flip(offset, 0x40);
		REQUIRE(repair_it(&result));
		flip(offset, 0x40);
		found = read_repaired(o);
		if (!found.original || found.rows != o->rows - lost || found.lost != lost ||
		    found.end != TRACE_END_CLEAN || result.clean || result.at_least ||
		    result.rows_lost != lost || result.rows_kept != found.rows) {
			printf("# byte %llu, block of kind %d: %llu rows kept, %llu lost\n",
			       (unsigned long long)offset, block ? block->kind : 0,
			       (unsigned long long)found.rows, (unsigned long long)found.lost);
			CHECK(!"the repaired file holds all rows but those of the changed block");
		}
	}
}

static void test_repair_of_flips(void)
{
	check_repaired_flips(write_small, &small, 480);
	check_repaired_flips(write_large, &large, 20);
}

static void test_repair_of_cuts(void)
{
	for (unsigned int i = 0; i < 200; i++) {
		uint64_t cut;
		struct repair_result result;
		struct recovered found;

		REQUIRE(write_small());
		cut = small.blocks[0].end + next_random() % (small.bytes - small.blocks[0].end);
		REQUIRE(!truncate(path, (off_t)cut) && repair_it(&result));
		found = read_repaired(&small);
		CHECK(found.original && found.end == TRACE_END_CLEAN);
		CHECK_EQ(found.rows, rows_before(&small, cut));
		CHECK(found.rows + found.lost <= small.rows || result.at_least);
		CHECK(result.end_lost && !result.clean);
	}
}

static void zero(uint64_t offset, uint64_t bytes)
{
	static const uint8_t zeroes[8192];
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || pwrite(fd, zeroes, bytes, (off_t)offset) != (ssize_t)bytes)
		abort();
	close(fd);
}

/* Some bytes and some ranges at once: the count of lost rows never exceeds that of the file. */
static void test_repair_of_much_damage(void)
{
	for (unsigned int i = 0; i < 200; i++) {
		unsigned int flips = 1 + (unsigned int)(next_random() % 8);
		struct repair_result result;
		struct recovered found;
		uint64_t from;

		REQUIRE(write_small());
		from = next_random() % (small.bytes - 8192);
		zero(from, next_random() % 8192);
		while (flips--)
			flip(next_random() % small.bytes, 0xff);
		REQUIRE(repair_it(&result));
		found = read_repaired(&small);
		CHECK(found.original && found.end == TRACE_END_CLEAN);
		CHECK_EQ(found.lost, result.rows_lost);
		/* A gap without known content counts as one row. */
		if (!result.at_least)
			CHECK_EQ(found.rows + found.lost, small.rows);
		else
			CHECK(found.rows + found.lost <= small.rows + result.gaps);
	}
}

/* Inserted or removed bytes shift the rest of the file; the index is then useless. */
static void test_repair_of_shifted_blocks(void)
{
	struct repair_result result;
	struct recovered found;
	const struct block *block;
	static char content[1 << 20];
	int fd;

	REQUIRE(write_small());
	REQUIRE(small.bytes < sizeof(content));
	block = block_at(&small, small.bytes / 2);
	fd = open(path, O_RDWR | O_CLOEXEC);
	REQUIRE(read(fd, content, small.bytes) == (ssize_t)small.bytes);
	REQUIRE(!ftruncate(fd, (off_t)small.bytes / 2));
	REQUIRE(pwrite(fd, content + small.bytes / 2 + 3, small.bytes - small.bytes / 2 - 3,
		       (off_t)(small.bytes / 2)) > 0);
	close(fd);
	REQUIRE(repair_it(&result));
	found = read_repaired(&small);
	CHECK(found.original && !result.at_least);
	CHECK_EQ(found.lost, block->rows);
	CHECK_EQ(found.rows, small.rows - block->rows);
}

static void test_repair_of_a_lost_beginning(void)
{
	struct repair_result result;
	struct trace_reader *r;
	struct recovered found;

	REQUIRE(write_small());
	zero(0, small.blocks[0].end);
	REQUIRE(repair_it(&result));
	CHECK(result.head_lost && result.host_lost && !result.rows_lost);
	found = read_repaired(&small);
	CHECK(found.original);
	CHECK_EQ(found.rows, small.rows);
	REQUIRE(!trace_reader__open(repaired, &r, NULL));
	CHECK(trace_reader__host(r)->start_ns == ios[0].created_ns);
	CHECK(trace_reader__task(r, 1) != NULL);
	trace_reader__free(r);
}

static void test_repair_of_a_whole_file(void)
{
	struct repair_result result;
	struct recovered found;

	REQUIRE(write_small());
	REQUIRE(repair_it(&result));
	CHECK(result.clean && !result.gaps && !result.rows_lost);
	CHECK_EQ(result.bytes_out, small.bytes);
	found = read_repaired(&small);
	CHECK(found.original);
	CHECK_EQ(found.rows, small.rows);
}

/* A second recording behind the first has other ids: its rows must not be mixed in. */
static void test_repair_of_two_files_in_one(void)
{
	static char content[1 << 20];
	struct repair_result result;
	struct recovered found;
	int fd;

	REQUIRE(write_small());
	fd = open(path, O_RDWR | O_CLOEXEC);
	REQUIRE(read(fd, content, small.bytes) == (ssize_t)small.bytes);
	REQUIRE(!ftruncate(fd, (off_t)small.blocks[12].end));
	REQUIRE(pwrite(fd, content, small.bytes, (off_t)small.blocks[12].end) > 0);
	close(fd);
	REQUIRE(repair_it(&result));
	CHECK(result.other_recording);
	found = read_repaired(&small);
	CHECK(found.original);
	CHECK_EQ(found.rows, rows_before(&small, small.blocks[12].end));
}

int main(void)
{
	make_folder();
	snprintf(repaired, sizeof(repaired), "%s/repaired.reel", directory);
	RUN(test_repair_of_flips);
	RUN(test_repair_of_cuts);
	RUN(test_repair_of_much_damage);
	RUN(test_repair_of_shifted_blocks);
	RUN(test_repair_of_a_lost_beginning);
	RUN(test_repair_of_a_whole_file);
	RUN(test_repair_of_two_files_in_one);
	unlink(repaired);
	remove_folder();
	return TEST_RESULT;
}
