/* SPDX-License-Identifier: MIT */
/* A trace of rows of any values, for the tests that write and read one. */
#ifndef BLKREEL_TESTS_UNIT_TRACE_MADE_ROWS_H
#define BLKREEL_TESTS_UNIT_TRACE_MADE_ROWS_H

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/format.h"
#include "trace/file/reader.h"
#include "trace/file/writer.h"
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#define ALL_KINDS ((1u << ROW_KIND_COUNT) - 1)

static char directory[] = "/dev/shm/blkreel-unit-XXXXXX";
static char path[64];

/* All rows that the tests compare with; `count` of them are in the file. */
#define ROWS_MAX 20000
static struct io_row ios[ROWS_MAX];
static struct cache_row caches[ROWS_MAX];
static struct tick_row ticks[ROWS_MAX];
static struct loss_row losses[ROWS_MAX];

/* Random fields within their columns' limits, most of them small as in real traces. */
static inline void random_bytes(void *to, size_t bytes)
{
	for (size_t i = 0; i + 8 <= bytes; i += 8) {
		uint64_t value = next_random() >> (next_random() % 64);

		memcpy((char *)to + i, &value, 8);
	}
}

static inline void make_rows(uint32_t count)
{
	random_state = 1;
	for (uint32_t i = 0; i < count; i++) {
		random_bytes(&ios[i], sizeof(ios[i]));
		ios[i].op = (uint8_t)(next_random() % IO_OP_COUNT);
		ios[i].origin = (uint8_t)(next_random() % IO_ORIGIN_COUNT);
		if (!(next_random() % 8))
			ios[i].issued_ns = 0;
		if (!(next_random() % 8))
			ios[i].created_ns = 0;
		if (!(next_random() % 8))
			ios[i].completed_ns = 0;
		if (!(next_random() % 8))
			ios[i].inserted_ns = 0;
		random_bytes(&caches[i], sizeof(caches[i]));
		random_bytes(&ticks[i], sizeof(ticks[i]));
		random_bytes(&losses[i], sizeof(losses[i]));
		losses[i].class = (uint32_t)(next_random() % LOSS_CLASS_COUNT);
	}
}

static const struct trace_host host = {.tool = "test 1",
				       .hostname = "h\xffst",
				       .kernel = "6.1",
				       .machine = "x86_64",
				       .command = "a \"b\" \\x41 \t",
				       .replay_mode = "dependent",
				       .replay_generated = true,
				       .start_ns = 5,
				       .start_wall_ns = UINT64_MAX,
				       .resolution_ns = 1};

static const struct trace_device device = {.id = 2,
					   .major = 259,
					   .minor = UINT32_MAX,
					   .name = "nvme0n1",
					   .size_bytes = UINT64_MAX,
					   .logical_block_bytes = 512,
					   .physical_block_bytes = 4096,
					   .nr_requests = 1023,
					   .read_ahead_kb = 128,
					   .max_discard_bytes = 7,
					   .scheduler = "none",
					   .model = "\x01\x02",
					   .zoned = "host-managed",
					   .zone_bytes = 256 << 20,
					   .stacked_on = "file /a b",
					   .rotational = true,
					   .write_cache = true,
					   .fua = true,
					   .bio_based = true};

static const struct trace_task task = {
	.id = 1,
	.pid = 7,
	.tgid = 6,
	.kernel_thread = true,
	.comm = {'s', 'i', 'x', 't', 'e', 'e', 'n', '.', 'n', 'o', '_', 'N', 'U', 'L', '!', '!'}};
static const struct trace_file file = {.id = 3,
				       .major = 1,
				       .minor = 2,
				       .inode = UINT64_MAX,
				       .kind = FILE_BLOCKDEV,
				       .path = "/\xc3\xa4/\xc3/\\x/\n\"\x7f"};
static const struct trace_io_limit io_limits[] = {
	{.major = 8, .read_bytes_per_s = UINT64_MAX, .write_ios_per_s = 7},
	{.major = 259,
	 .minor = UINT32_MAX,
	 .above = 3,
	 .write_bytes_per_s = 1,
	 .read_ios_per_s = 50},
};
static const struct trace_cgroup cgroup = {.id = 1,
					   .kernel_id = 99,
					   .path = "/a",
					   .container = "c\"\xff",
					   .pod = "p",
					   .io_limits = io_limits,
					   .io_limit_count = 2};
static const struct trace_tier tier = {"block", "tp_btf", "exact", "\xff"};
static const struct trace_summary summary = {.stop_ns = 77,
					     .stop_wall_ns = UINT64_MAX,
					     .in_flight_at_end = 1,
					     .started_before = 2,
					     .readahead_unknown_pages = 3,
					     .page_cache_bytes = 4096,
					     .page_cache_of_cgroup = true,
					     .page_cache_mglru = true,
					     .command_status = -1};

static inline int add_tables(struct trace_writer *w)
{
	int err = trace_writer__add_device(w, &device);

	err = err ? err : trace_writer__add_task(w, &task);
	err = err ? err : trace_writer__add_file(w, &file);
	err = err ? err : trace_writer__add_cgroup(w, &cgroup);
	return err ? err : trace_writer__add_tier(w, &tier);
}

static inline int write_file(uint32_t count, const struct trace_summary *end,
			     uint64_t resolution_ns)
{
	struct trace_writer_options options = {.resolution_ns = resolution_ns};
	struct trace_writer *w;
	int err = trace_writer__create(path, &host, &options, &w), close_err;

	if (err)
		return err;
	err = add_tables(w);
	for (uint32_t i = 0; i < count && !err; i++) {
		err = trace_writer__append_io(w, &ios[i]);
		err = err ? err : trace_writer__append_cache(w, &caches[i]);
		err = err ? err : trace_writer__append_tick(w, &ticks[i]);
		err = err ? err : trace_writer__append_loss(w, &losses[i]);
		/* Small files get several blocks too. */
		if (!err && count < 100 && i % 8 == 7)
			err = trace_writer__flush(w);
	}
	close_err = trace_writer__close(w, end);
	return err ? err : close_err;
}

static inline bool same_io(const struct io_row *a, const struct io_row *b)
{
	return a->created_ns == b->created_ns && a->issued_ns == b->issued_ns &&
	       a->completed_ns == b->completed_ns && a->inserted_ns == b->inserted_ns &&
	       a->id == b->id && a->parent_id == b->parent_id && a->sector == b->sector &&
	       a->bytes == b->bytes && a->device == b->device && a->task == b->task &&
	       a->cgroup == b->cgroup && a->file == b->file && a->flags == b->flags &&
	       a->merges == b->merges && a->depth == b->depth && a->error == b->error &&
	       a->cpu == b->cpu && a->ioprio == b->ioprio && a->op == b->op &&
	       a->origin == b->origin;
}

static inline bool same_cache(const struct cache_row *a, const struct cache_row *b)
{
	return a->time_ns == b->time_ns && a->interval_ns == b->interval_ns &&
	       a->cgroup == b->cgroup && a->file == b->file && a->task == b->task &&
	       !memcmp(&a->reads, &b->reads, sizeof(*a) - offsetof(struct cache_row, reads));
}

static inline bool same_loss(const struct loss_row *a, const struct loss_row *b)
{
	return a->from_ns == b->from_ns && a->to_ns == b->to_ns && a->count == b->count &&
	       a->class == b->class;
}

/* Whether the rows of a block are those written from `at` on. */
static inline bool same_rows(const struct row_block *block, uint64_t at, uint32_t count)
{
	if (at + block->rows > count)
		return false;
	for (uint32_t i = 0; i < block->rows; i++) {
		bool same = false;

		if (block->kind == ROW_IO)
			same = same_io(&block->io[i], &ios[at + i]);
		else if (block->kind == ROW_CACHE)
			same = same_cache(&block->cache[i], &caches[at + i]);
		else if (block->kind == ROW_TICK)
			same = !memcmp(&block->tick[i], &ticks[at + i], sizeof(ticks[0]));
		else if (block->kind == ROW_LOSS)
			same = same_loss(&block->loss[i], &losses[at + i]);
		if (!same)
			return false;
	}
	return true;
}

struct outcome {
	int open_err;
	int err;
	enum trace_end end;
	uint64_t rows; /* of all kinds, that were read */
	bool all_true;
};

static inline struct outcome read_file(uint32_t count)
{
	struct outcome outcome = {.all_true = true};
	uint64_t seen[ROW_KIND_COUNT] = {0};
	struct trace_reader *r;
	struct row_block block;

	outcome.open_err = trace_reader__open(path, &r, NULL);
	if (outcome.open_err)
		return outcome;
	while ((outcome.err = trace_reader__next(r, ALL_KINDS, &block)) == 1) {
		outcome.all_true &= same_rows(&block, seen[block.kind], count);
		seen[block.kind] += block.rows;
		outcome.rows += block.rows;
	}
	outcome.end = trace_reader__end(r);
	outcome.all_true &= outcome.end == TRACE_END_CLEAN || *trace_reader__end_message(r);
	trace_reader__free(r);
	return outcome;
}

/* A file in memory, so that many variants of it can be written. */
static inline uint8_t *load(size_t *bytes)
{
	struct stat st;
	uint8_t *content;
	int fd = open(path, O_RDONLY);

	if (fd < 0 || fstat(fd, &st))
		return NULL;
	*bytes = (size_t)st.st_size;
	content = malloc(*bytes);
	if (content && read(fd, content, *bytes) != (ssize_t)*bytes) {
		free(content);
		content = NULL;
	}
	close(fd);
	return content;
}

static inline bool store(const uint8_t *content, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
	bool stored = fd >= 0 && write(fd, content, bytes) == (ssize_t)bytes;

	close(fd);
	return stored;
}

/* The folder, and the file at `path` in it. */
static inline void make_folder(void)
{
	if (!mkdtemp(directory))
		exit(EXIT_FAILURE);
	snprintf(path, sizeof(path), "%s/t.reel", directory);
}

static inline void remove_folder(void)
{
	unlink(path);
	rmdir(directory);
}

#endif
