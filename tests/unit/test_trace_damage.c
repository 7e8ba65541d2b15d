/*
 * Files that were cut or changed at any place: never a crash, never a row given out that was not
 * written, and repair brings back every block that is still whole.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/input.h"
#include "trace/repair.h"
#include "trace/verify.h"
#include "trace/writer.h"
#include "unit/test.h"

#define ALL_KINDS  ((1u << ROW_KIND_COUNT) - 1)
#define SEED	   20261121
#define IOS_MAX	   20000
#define OTHERS	   600
#define BLOCKS_MAX 4096

static char directory[] = "/tmp/blkreel-damage-XXXXXX";
static char path[64], repaired[64];

static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static struct io_row ios[IOS_MAX];
static struct cache_row caches[OTHERS];
static struct tick_row ticks[OTHERS];
static struct loss_row losses[OTHERS];

/* A file and what is in it, block by block. */
static struct original {
	uint32_t ios, others;
	uint64_t bytes, rows, first_ns;
	uint32_t count;
	struct block {
		uint64_t offset, end;
		uint64_t row; /* the first one, counted within its kind */
		uint32_t rows;
		uint8_t kind;
	} blocks[BLOCKS_MAX];
} tiny, small, large;

static uint64_t some_value(void)
{
	return next_random() >> (next_random() % 64);
}

/* Every column is used; no two rows are alike. */
static void make_rows(void)
{
	uint64_t now = 1000000000;

	for (uint32_t i = 0; i < IOS_MAX; i++) {
		now += 1 + next_random() % 100000;
		ios[i] = (struct io_row){.created_ns = now,
					 .issued_ns = now + next_random() % 5000,
					 .sector = next_random() % (1u << 30),
					 .bytes = 512 * (1 + next_random() % 256),
					 .device = 1 + (uint32_t)(next_random() % 3),
					 .task = (uint32_t)(next_random() % 8),
					 .cgroup = (uint32_t)(next_random() % 3),
					 .file = (uint32_t)(next_random() % 100),
					 .flags = (uint32_t)(next_random() % 64),
					 .merges = (uint32_t)(next_random() % 4),
					 .depth = (uint32_t)(next_random() % 32),
					 .error = next_random() % 50 ? 0 : -EIO,
					 .cpu = (uint16_t)(next_random() % 64),
					 .op = (uint8_t)(next_random() % IO_OP_COUNT),
					 .origin = (uint8_t)(next_random() % IO_ORIGIN_COUNT)};
		ios[i].completed_ns = ios[i].issued_ns + next_random() % 1000000;
	}
	for (uint32_t i = 0; i < OTHERS; i++) {
		uint64_t *cache = &caches[i].reads, *tick = ticks[i].ios;

		caches[i] = (struct cache_row){.time_ns = now + i, .interval_ns = 7, .task = i};
		while (cache <= &caches[i].deleted_pages)
			*cache++ = some_value();
		ticks[i] = (struct tick_row){.time_ns = now + i, .device = 1, .in_flight = i};
		while (tick <= &ticks[i].in_queue_ms)
			*tick++ = some_value();
		losses[i] = (struct loss_row){.from_ns = now + i,
					      .to_ns = now + 2 * i,
					      .count = i,
					      .class = i % LOSS_FILE_DAMAGE};
	}
}

static int add_tables(struct trace_writer *w)
{
	char name[32];
	int err = 0;

	for (uint32_t id = 1; id < 20 && !err; id++) {
		snprintf(name, sizeof(name), "/file/%u", id);
		err = trace_writer__add_file(w, &(struct trace_file){.id = id, .path = name});
		if (!err && id < 8)
			err = trace_writer__add_task(w, &(struct trace_task){.id = id, .pid = id});
		if (!err && id < 4)
			err = trace_writer__add_device(w, &(struct trace_device){.id = id});
		if (!err && id < 3)
			err = trace_writer__add_cgroup(
				w, &(struct trace_cgroup){.id = id, .path = name});
	}
	return err;
}

/* `batch` rows of each kind between two flushes; 0: blocks are as full as can be. */
static int write_rows(struct trace_writer *w, const struct original *o, uint32_t batch)
{
	int err = add_tables(w);

	for (uint32_t i = 0; i < o->ios && !err; i++) {
		err = trace_writer__append_io(w, &ios[i]);
		if (!err && i < o->others)
			err = trace_writer__append_cache(w, &caches[i]);
		if (!err && i < o->others)
			err = trace_writer__append_tick(w, &ticks[i]);
		if (!err && i < o->others)
			err = trace_writer__append_loss(w, &losses[i]);
		if (!err && batch && i % batch == batch - 1)
			err = trace_writer__flush(w);
	}
	return err;
}

/* The blocks of the file at `path`, which is whole. */
static int survey(struct original *o)
{
	uint64_t rows[ROW_KIND_COUNT] = {0};
	struct block_head head;
	struct input *in;
	int err = input__open(path, &in, &(const char *){NULL});

	if (err)
		return err;
	o->bytes = input__bytes(in);
	o->count = 0;
	while (o->count < BLOCKS_MAX && input__read(in, &head) == INPUT_BLOCK) {
		struct block *block = &o->blocks[o->count++];

		*block = (struct block){.offset = input__offset(in), .kind = head.kind};
		input__skip(in, &head);
		block->end = input__offset(in);
		if (block_kind_is_rows(head.kind)) {
			block->rows = head.rows;
			block->row = rows[block_row_kind(head.kind)];
			rows[block_row_kind(head.kind)] += head.rows;
		}
	}
	err = input__offset(in) == o->bytes ? 0 : -EIO;
	input__free(in);
	o->rows = rows[ROW_IO] + rows[ROW_CACHE] + rows[ROW_TICK] + rows[ROW_LOSS];
	return err;
}

static bool write_original(struct original *o, uint32_t io_rows, uint32_t others, uint32_t batch)
{
	struct trace_host host = {.tool = "test", .hostname = "h", .start_ns = 900000000};
	struct trace_summary summary = {.stop_ns = 1ull << 40, .command_status = -1};
	struct trace_writer *w;
	int err, closed;

	unlink(path);
	err = trace_writer__create(path, &host, NULL, &w);

	if (err)
		return false;
	o->ios = io_rows;
	o->others = others;
	err = write_rows(w, o, batch);
	closed = trace_writer__close(w, &summary);
	return !err && !closed && !survey(o);
}

static bool write_tiny(void)
{
	return write_original(&tiny, 40, 40, 10);
}

static bool write_small(void)
{
	return write_original(&small, 320, 320, 20);
}

static bool write_large(void)
{
	return write_original(&large, IOS_MAX, OTHERS, 0);
}

static bool same_rows(const struct row_block *block, uint64_t at, const struct original *o)
{
	uint64_t count = block->kind == ROW_IO ? o->ios : o->others;

	if (at + block->rows > count)
		return false;
	switch (block->kind) {
	case ROW_IO:
		return !memcmp(block->io, &ios[at], block->rows * sizeof(ios[0]));
	case ROW_CACHE:
		return !memcmp(block->cache, &caches[at], block->rows * sizeof(caches[0]));
	case ROW_TICK:
		return !memcmp(block->tick, &ticks[at], block->rows * sizeof(ticks[0]));
	case ROW_LOSS:
		return !memcmp(block->loss, &losses[at], block->rows * sizeof(losses[0]));
	default:
		return false;
	}
}

/* Rows of the blocks that end before `offset`. */
static uint64_t rows_before(const struct original *o, uint64_t offset)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < o->count && o->blocks[i].end <= offset; i++)
		rows += o->blocks[i].rows;
	return rows;
}

static const struct block *block_at(const struct original *o, uint64_t offset)
{
	for (uint32_t i = 0; i < o->count; i++)
		if (offset >= o->blocks[i].offset && offset < o->blocks[i].end)
			return &o->blocks[i];
	return NULL;
}

/*
 * Reads the file at `path`: true when every row that is given out is the one that was written at
 * that place, all rows of the whole blocks before `offset` are given out, and the end is `end`.
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

static void test_whole_files(void)
{
	REQUIRE(write_small());
	CHECK_EQ(small.rows, 4 * 320);
	CHECK(reads_until(&small, small.bytes, TRACE_END_CLEAN));
	REQUIRE(write_large());
	CHECK(reads_until(&large, large.bytes, TRACE_END_CLEAN));
	CHECK(large.count > 6 && large.blocks[large.count - 1].kind == BLOCK_END);
}

/* Cuts the file, which gets ever shorter, at every byte from its end down to `from`. */
static void check_cuts(const struct original *o, uint64_t from)
{
	for (uint64_t cut = o->bytes - 1; cut >= from; cut--) {
		if (truncate(path, (off_t)cut) || !reads_until(o, cut, TRACE_END_TORN)) {
			printf("# cut at byte %llu of %llu\n", (unsigned long long)cut,
			       (unsigned long long)o->bytes);
			CHECK(!"the cut file gives out its whole blocks and says that it is torn");
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
			CHECK(!"the cut file gives out its whole blocks and says that it is torn");
		}
	}
}

static void test_cut_at_random_bytes(void)
{
	check_random_cuts(write_small, &small, 300);
	check_random_cuts(write_large, &large, 10);
}

static void flip(uint64_t offset, uint8_t mask)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	uint8_t byte = 0;

	if (fd < 0 || pread(fd, &byte, 1, (off_t)offset) != 1)
		abort();
	byte ^= mask;
	if (pwrite(fd, &byte, 1, (off_t)offset) != 1)
		abort();
	close(fd);
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
			CHECK(!"the changed file gives out what is before and says that it is damaged");
		}
		flip(offset, mask);
	}
	CHECK(reads_until(o, o->bytes, TRACE_END_CLEAN));
}

/* 10,000 in all; most of them in the file of small blocks, which is quicker to read. */
static void test_flip_random_bytes(void)
{
	check_random_flips(write_small, &small, 9700);
	check_random_flips(write_large, &large, 300);
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

/* What is in the repaired file. */
struct kept {
	bool original; /* only rows that were written, in their order */
	uint64_t rows; /* of the original */
	uint64_t lost; /* as its loss rows say */
	enum trace_end end;
};

static bool is_repair_loss(const struct row_block *block)
{
	return block->kind == ROW_LOSS && block->loss[0].class == LOSS_FILE_DAMAGE;
}

/* The next original block that the rows may be; o->count: there is none. */
static uint32_t find_block(const struct original *o, const struct row_block *block, uint32_t from)
{
	while (from < o->count &&
	       !(o->blocks[from].kind == row_block_kind(block->kind) &&
		 o->blocks[from].rows == block->rows && same_rows(block, o->blocks[from].row, o)))
		from++;
	return from;
}

static struct kept read_repaired(const struct original *o)
{
	struct kept kept = {.original = true};
	struct row_block block;
	struct trace_reader *r;
	uint32_t at = 0;

	if (trace_reader__open(repaired, &r, NULL))
		return (struct kept){0};
	while (trace_reader__next(r, ALL_KINDS, &block) == 1) {
		if (is_repair_loss(&block)) {
			for (uint32_t i = 0; i < block.rows; i++) {
				kept.lost += block.loss[i].count;
				kept.original &= block.loss[i].from_ns &&
						 block.loss[i].from_ns <= block.loss[i].to_ns;
			}
			continue;
		}
		at = find_block(o, &block, at);
		kept.original &= at++ < o->count;
		kept.rows += block.rows;
	}
	kept.end = trace_reader__end(r);
	trace_reader__free(r);
	return kept;
}

/* One changed byte costs its block and nothing else, and the loss is known to the row. */
static void check_repaired_flips(bool (*write)(void), const struct original *o, unsigned int count)
{
	REQUIRE(write());
	for (unsigned int i = 0; i < count; i++) {
		uint64_t offset = next_random() % o->bytes;
		const struct block *block = block_at(o, offset);
		uint64_t lost = block ? block->rows : 0;
		struct repair_result result;
		struct kept kept;

		flip(offset, 0x40);
		REQUIRE(repair_it(&result));
		flip(offset, 0x40);
		kept = read_repaired(o);
		if (!kept.original || kept.rows != o->rows - lost || kept.lost != lost ||
		    kept.end != TRACE_END_CLEAN || result.clean || result.at_least ||
		    result.rows_lost != lost || result.rows_kept != kept.rows) {
			printf("# byte %llu, block of kind %d: %llu rows kept, %llu lost\n",
			       (unsigned long long)offset, block ? block->kind : 0,
			       (unsigned long long)kept.rows, (unsigned long long)kept.lost);
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
		struct kept kept;

		REQUIRE(write_small());
		cut = small.blocks[0].end + next_random() % (small.bytes - small.blocks[0].end);
		REQUIRE(!truncate(path, (off_t)cut) && repair_it(&result));
		kept = read_repaired(&small);
		CHECK(kept.original && kept.end == TRACE_END_CLEAN);
		CHECK_EQ(kept.rows, rows_before(&small, cut));
		CHECK(kept.rows + kept.lost <= small.rows || result.at_least);
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

/* Some bytes and some whole ranges at once: what is said to be lost is never more than was there. */
static void test_repair_of_much_damage(void)
{
	for (unsigned int i = 0; i < 200; i++) {
		unsigned int flips = 1 + (unsigned int)(next_random() % 8);
		struct repair_result result;
		struct kept kept;
		uint64_t from;

		REQUIRE(write_small());
		from = next_random() % (small.bytes - 8192);
		zero(from, next_random() % 8192);
		while (flips--)
			flip(next_random() % small.bytes, 0xff);
		REQUIRE(repair_it(&result));
		kept = read_repaired(&small);
		CHECK(kept.original && kept.end == TRACE_END_CLEAN);
		CHECK_EQ(kept.lost, result.rows_lost);
		/* A gap of which nothing is known counts as one row. */
		if (!result.at_least)
			CHECK_EQ(kept.rows + kept.lost, small.rows);
		else
			CHECK(kept.rows + kept.lost <= small.rows + result.gaps);
	}
}

/* Bytes that were inserted or left out shift all that follows; the index is then of no use. */
static void test_repair_of_shifted_blocks(void)
{
	struct repair_result result;
	struct kept kept;
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
	kept = read_repaired(&small);
	CHECK(kept.original && !result.at_least);
	CHECK_EQ(kept.lost, block->rows);
	CHECK_EQ(kept.rows, small.rows - block->rows);
}

static void test_repair_of_a_lost_beginning(void)
{
	struct repair_result result;
	struct trace_reader *r;
	struct kept kept;

	REQUIRE(write_small());
	zero(0, small.blocks[0].end);
	REQUIRE(repair_it(&result));
	CHECK(result.head_lost && result.host_lost && !result.rows_lost);
	kept = read_repaired(&small);
	CHECK(kept.original);
	CHECK_EQ(kept.rows, small.rows);
	REQUIRE(!trace_reader__open(repaired, &r, NULL));
	CHECK(trace_reader__host(r)->start_ns == ios[0].created_ns);
	CHECK(trace_reader__task(r, 1) != NULL);
	trace_reader__free(r);
}

static void test_repair_of_a_whole_file(void)
{
	struct repair_result result;
	struct kept kept;

	REQUIRE(write_small());
	REQUIRE(repair_it(&result));
	CHECK(result.clean && !result.gaps && !result.rows_lost);
	CHECK_EQ(result.bytes_out, small.bytes);
	kept = read_repaired(&small);
	CHECK(kept.original);
	CHECK_EQ(kept.rows, small.rows);
}

/* A second recording behind the first has other ids: its rows must not be mixed in. */
static void test_repair_of_two_files_in_one(void)
{
	static char content[1 << 20];
	struct repair_result result;
	struct kept kept;
	int fd;

	REQUIRE(write_small());
	fd = open(path, O_RDWR | O_CLOEXEC);
	REQUIRE(read(fd, content, small.bytes) == (ssize_t)small.bytes);
	REQUIRE(!ftruncate(fd, (off_t)small.blocks[12].end));
	REQUIRE(pwrite(fd, content, small.bytes, (off_t)small.blocks[12].end) > 0);
	close(fd);
	REQUIRE(repair_it(&result));
	CHECK(result.other_recording);
	kept = read_repaired(&small);
	CHECK(kept.original);
	CHECK_EQ(kept.rows, rows_before(&small, small.blocks[12].end));
}

int main(void)
{
	printf("# seed %d\n", SEED);
	state = SEED;
	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	snprintf(path, sizeof(path), "%s/t.reel", directory);
	snprintf(repaired, sizeof(repaired), "%s/repaired.reel", directory);
	make_rows();
	RUN(test_whole_files);
	RUN(test_cut_at_every_byte_of_the_last_blocks);
	RUN(test_cut_at_random_bytes);
	RUN(test_flip_random_bytes);
	RUN(test_repair_of_flips);
	RUN(test_repair_of_cuts);
	RUN(test_repair_of_much_damage);
	RUN(test_repair_of_shifted_blocks);
	RUN(test_repair_of_a_lost_beginning);
	RUN(test_repair_of_a_whole_file);
	RUN(test_repair_of_two_files_in_one);
	unlink(path);
	unlink(repaired);
	rmdir(directory);
	return TEST_RESULT;
}
