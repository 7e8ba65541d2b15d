/* SPDX-License-Identifier: MIT */
/* A trace with known blocks, for the tests that damage it. */
#ifndef BLKREEL_TESTS_UNIT_TRACE_ORIGINAL_H
#define BLKREEL_TESTS_UNIT_TRACE_ORIGINAL_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "trace/file/input.h"
#include "trace/file/writer.h"
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#define ALL_KINDS  ((1u << ROW_KIND_COUNT) - 1)
#define SEED	   20261121
#define IOS_MAX	   20000
#define OTHERS	   600
#define BLOCKS_MAX 4096

static char directory[] = "/tmp/blkreel-damage-XXXXXX";
static char path[64];

static struct io_row ios[IOS_MAX];
static struct cache_row caches[OTHERS];
static struct tick_row ticks[OTHERS];
static struct loss_row losses[OTHERS];

/* A file and its blocks. */
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

static inline uint64_t some_value(void)
{
	return next_random() >> (next_random() % 64);
}

/* Uses every column; all rows differ. */
static inline void make_rows(void)
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

static inline int add_tables(struct trace_writer *w)
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
static inline int write_rows(struct trace_writer *w, const struct original *o, uint32_t batch)
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
static inline int survey(struct original *o)
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

static inline bool write_original(struct original *o, uint32_t io_rows, uint32_t others,
				  uint32_t batch)
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

static inline bool write_tiny(void)
{
	return write_original(&tiny, 40, 40, 10);
}

static inline bool write_small(void)
{
	return write_original(&small, 320, 320, 20);
}

static inline bool write_large(void)
{
	return write_original(&large, IOS_MAX, OTHERS, 0);
}

static inline bool same_rows(const struct row_block *block, uint64_t at, const struct original *o)
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
static inline uint64_t rows_before(const struct original *o, uint64_t offset)
{
	uint64_t rows = 0;

	for (uint32_t i = 0; i < o->count && o->blocks[i].end <= offset; i++)
		rows += o->blocks[i].rows;
	return rows;
}

static inline void flip(uint64_t offset, uint8_t mask)
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

/* The folder with the file at `path`, and the rows that it will hold. */
static inline void make_folder(void)
{
	printf("# seed %d\n", SEED);
	random_state = SEED;
	if (!mkdtemp(directory))
		exit(EXIT_FAILURE);
	snprintf(path, sizeof(path), "%s/t.reel", directory);
	make_rows();
}

static inline void remove_folder(void)
{
	unlink(path);
	rmdir(directory);
}

#endif
