// SPDX-License-Identifier: MIT
/* Several traces of one recording become one trace: rows in order, entries once. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "trace/streams/joiner.h"
#include "unit/shared/test.h"

#define ALL_KINDS ((1u << ROW_KIND_COUNT) - 1)
#define FILES	  2

static char directory[] = "/dev/shm/blkreel-unit-XXXXXX";
static char paths[FILES][64], joined_path[64];

static struct trace_writer *begin(const char *path, uint64_t start_ns)
{
	struct trace_host host = {.start_ns = start_ns};
	struct trace_writer *w;

	if (trace_writer__create(path, &host, NULL, &w))
		exit(EXIT_FAILURE);
	return w;
}

static void add_task(struct trace_writer *w, uint32_t id, uint32_t pid, const char *comm)
{
	struct trace_task task = {.id = id, .pid = pid, .tgid = pid};

	snprintf(task.comm, sizeof(task.comm), "%s", comm);
	CHECK_EQ(trace_writer__add_task(w, &task), 0);
}

static void add_file(struct trace_writer *w, uint32_t id, uint64_t inode, const char *path)
{
	struct trace_file file = {.id = id, .major = 7, .inode = inode, .path = path};

	CHECK_EQ(trace_writer__add_file(w, &file), 0);
}

static void add_io(struct trace_writer *w, uint64_t created_ns, uint64_t completed_ns,
		   uint32_t task, uint32_t file)
{
	struct io_row row = {.created_ns = created_ns,
			     .completed_ns = completed_ns,
			     .device = 1,
			     .task = task,
			     .file = file,
			     .cgroup = 1};

	CHECK_EQ(trace_writer__append_io(w, &row), 0);
}

/* A row of each kind but IO, tick and loss. */
static void add_other_rows(struct trace_writer *w)
{
	struct cache_row cache = {.time_ns = 1600, .interval_ns = 50, .file = 2, .task = 3};
	struct hist_row hist = {.time_ns = 1600, .interval_ns = 50, .device = 3};
	struct access_row access = {.time_ns = 1601, .file = 2, .task = 3, .bytes = 512};
	struct wait_row wait = {.time_ns = 1602, .file = 2, .task = 3};

	CHECK_EQ(trace_writer__append_cache(w, &cache), 0);
	CHECK_EQ(trace_writer__append_hist(w, &hist), 0);
	CHECK_EQ(trace_writer__append_access(w, &access), 0);
	CHECK_EQ(trace_writer__append_wait(w, &wait), 0);
}

/* The second trace has the ids of the first in another order, and no end mark. */
static void make_traces(void)
{
	struct trace_device device = {.id = 1, .major = 7, .name = "loop0", .size_bytes = 4096};
	struct trace_cgroup cgroup = {.id = 1, .kernel_id = 77, .path = "/db"};
	struct tick_row tick = {.time_ns = 1500, .interval_ns = 900, .device = 1};
	struct loss_row loss = {.from_ns = 1100, .to_ns = 1500, .count = 13};
	struct trace_writer *w = begin(paths[0], 1000);

	CHECK_EQ(trace_writer__add_device(w, &device), 0);
	CHECK_EQ(trace_writer__add_cgroup(w, &cgroup), 0);
	add_task(w, 1, 10, "first");
	add_task(w, 2, 20, "second");
	add_file(w, 1, 5, "/a");
	add_io(w, 990, 1010, 1, 1);
	add_io(w, 1000, 1020, 2, 0);
	CHECK_EQ(trace_writer__append_tick(w, &tick), 0);
	CHECK_EQ(trace_writer__append_loss(w, &loss), 0);
	CHECK_EQ(trace_writer__close(w, NULL), 0);

	w = begin(paths[1], 1500);
	device.id = 3;
	CHECK_EQ(trace_writer__add_device(w, &device), 0);
	device.id = 4;
	device.minor = 1;
	CHECK_EQ(trace_writer__add_device(w, &device), 0);
	add_task(w, 1, 20, "second");
	add_task(w, 2, 20, "renamed");
	add_task(w, 3, 10, "first");
	add_file(w, 1, 6, "/b");
	add_file(w, 2, 5, "/a");
	for (uint32_t i = 1; i <= 3; i++) {
		struct io_row row = {.created_ns = 1490 + i,
				     .completed_ns = 1600 + i,
				     .device = 3,
				     .task = i,
				     .file = i % 3};

		CHECK_EQ(trace_writer__append_io(w, &row), 0);
	}
	add_other_rows(w);
	CHECK_EQ(trace_writer__flush(w), 0);
	trace_writer__close(w, NULL);
}

static struct trace_joined join(void)
{
	struct trace_writer *w = begin(joined_path, 1000);
	struct trace_joiner *j = trace_joiner__new(w, 1000);
	struct trace_summary summary = {.stop_ns = 2000, .command_status = -1};
	struct trace_joined totals;

	for (unsigned int i = 0; i < FILES; i++) {
		struct trace_reader *r;

		if (trace_reader__open(paths[i], &r, NULL))
			exit(EXIT_FAILURE);
		CHECK_EQ(trace_joiner__add(j, r), 0);
		trace_reader__free(r);
	}
	totals = *trace_joiner__totals(j);
	trace_joiner__free(j);
	CHECK_EQ(trace_writer__close(w, &summary), 0);
	return totals;
}

static void check_rows(const struct trace_reader *r, const struct row_block *block)
{
	static const char *const tasks[] = {"first", "second", "second", "renamed", "first"};
	static const char *const files[] = {"/a", NULL, "/b", "/a", NULL};
	static const uint64_t ends[] = {1010, 1020, 1601, 1602, 1603};

	CHECK_EQ(block->rows, 5);
	for (uint32_t i = 0; i < block->rows; i++) {
		const struct io_row *row = &block->io[i];
		const struct trace_file *file = trace_reader__file(r, row->file);

		CHECK_EQ(row->completed_ns, ends[i]);
		CHECK_EQ(row->device, 1);
		CHECK_TEXT(trace_reader__task(r, row->task)->comm, tasks[i]);
		CHECK_TEXT(file ? file->path : "", files[i] ? files[i] : "");
		/* of the result, not of its trace */
		CHECK_EQ(!!(row->flags & IO_STARTED_BEFORE), i == 0);
	}
	CHECK_TEXT(trace_reader__cgroup(r, block->io[0].cgroup)->path, "/db");
	/* an id without an entry becomes 0 */
	CHECK_EQ(block->io[2].cgroup, 0);
}

static void check_access(const struct trace_reader *r, const struct access_row *row)
{
	CHECK_EQ(row->time_ns, 1601);
	CHECK_EQ(row->bytes, 512);
	CHECK_TEXT(trace_reader__task(r, row->task)->comm, "first");
	CHECK_TEXT(trace_reader__file(r, row->file)->path, "/a");
}

static void several_traces_of_one_recording_become_one(void)
{
	struct trace_joined totals;
	struct trace_reader *r;
	struct row_block block;
	uint64_t seen = 0;

	make_traces();
	totals = join();
	CHECK_EQ(totals.io_rows, 5);
	CHECK_EQ(totals.started_before, 1);
	CHECK_EQ(totals.lost, 13);
	REQUIRE(!trace_reader__open(joined_path, &r, NULL));
	while (trace_reader__next(r, ALL_KINDS, &block) == 1) {
		seen |= 1u << block.kind;
		if (block.kind == ROW_IO)
			check_rows(r, &block);
		if (block.kind == ROW_TICK) /* it was idle before the result begins */
			CHECK_EQ(block.tick[0].interval_ns, 500);
		if (block.kind == ROW_ACCESS)
			check_access(r, &block.access[0]);
	}
	CHECK_EQ(trace_reader__end(r), TRACE_END_CLEAN);
	CHECK_EQ(seen, ALL_KINDS);
	CHECK_EQ(trace_reader__tasks(r), 3);
	CHECK_EQ(trace_reader__files(r), 2);
	CHECK_EQ(trace_reader__cgroups(r), 1);
	/* listed without a row, because the user named it */
	CHECK_EQ(trace_reader__devices(r), 2);
	trace_reader__free(r);
}

static void a_reader_can_stop_before_the_blocks_still_written(void)
{
	struct trace_writer *w = begin(paths[0], 1000);
	struct trace_reader *r;
	struct row_block block;
	uint64_t bytes;

	add_io(w, 1001, 1002, 0, 0);
	CHECK_EQ(trace_writer__flush(w), 0);
	bytes = trace_writer__bytes(w);
	add_io(w, 1003, 1004, 0, 0);
	CHECK_EQ(trace_writer__flush(w), 0);
	REQUIRE(!trace_reader__open(paths[0], &r, NULL));
	trace_reader__limit(r, bytes);
	CHECK_EQ(trace_reader__next(r, ALL_KINDS, &block), 1);
	CHECK_EQ(block.io[0].completed_ns, 1002);
	CHECK_EQ(trace_reader__next(r, ALL_KINDS, &block), 0);
	trace_reader__free(r);
	trace_writer__close(w, NULL);
}

static void must_be_new_replaces_nothing(void)
{
	struct trace_writer_options options = {.must_be_new = true};
	struct trace_host host = {0};
	struct trace_writer *w;

	trace_writer__close(begin(paths[0], 1), NULL);
	CHECK_EQ(trace_writer__create(paths[0], &host, &options, &w), -EEXIST);
	unlink(paths[0]);
	REQUIRE(!trace_writer__create(paths[0], &host, &options, &w));
	CHECK_EQ(trace_writer__close(w, NULL), 0);
}

int main(void)
{
	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	for (unsigned int i = 0; i < FILES; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%u.reel", directory, i);
	snprintf(joined_path, sizeof(joined_path), "%s/joined.reel", directory);
	RUN(several_traces_of_one_recording_become_one);
	RUN(a_reader_can_stop_before_the_blocks_still_written);
	RUN(must_be_new_replaces_nothing);
	for (unsigned int i = 0; i < FILES; i++)
		unlink(paths[i]);
	unlink(joined_path);
	rmdir(directory);
	return TEST_RESULT;
}
