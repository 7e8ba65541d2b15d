// SPDX-License-Identifier: MIT
/* Encoding and writing in threads gives the same file as without threads. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/queue.h"
#include "trace/file/block.h"
#include "trace/file/reader.h"
#include "trace/file/write_behind.h"
#include "trace/file/writer.h"
#include "unit/shared/random.h"
#include "unit/shared/test.h"

static char directory[] = "/dev/shm/blkreel-unit-XXXXXX";
static size_t longest_write = SIZE_MAX;

/* Replaces the C library's: a write may be cut. */
ssize_t write(int fd, const void *from, size_t bytes)
{
	return syscall(SYS_write, fd, from, bytes < longest_write ? bytes : longest_write);
}

static char path[64], other_path[64];

static const struct trace_host host = {.tool = "test 1", .hostname = "h", .start_ns = 5};
static const struct trace_summary summary = {.stop_ns = 77, .command_status = -1};

static struct io_row row_of(uint64_t i)
{
	return (struct io_row){.created_ns = 1000 * i + i % 7,
			       .issued_ns = 1000 * i + 300,
			       .completed_ns = 1000 * i + 500 + i * i % 400,
			       .sector = random_of(i) >> 40,
			       .bytes = 4096,
			       .device = 1,
			       .depth = 1 + (uint32_t)(i % 32),
			       .op = IO_OP_READ};
}

/* More than two full blocks, short ones among them, and tables between. */
static int write_rows(struct trace_writer *w, uint64_t count)
{
	struct trace_task task = {.id = 0, .comm = "reader"};
	struct tick_row tick = {.device = 1};
	int err = 0;

	for (uint64_t i = 0; i < count && !err; i++) {
		struct io_row row = row_of(i);

		err = trace_writer__append_io(w, &row);
		if (!err && i % 50000 == 7) {
			task.id++;
			tick.time_ns = row.completed_ns;
			err = trace_writer__add_task(w, &task);
			err = err ? err : trace_writer__append_tick(w, &tick);
		}
		if (!err && (i == 100 || i == 20000 || i == 130000))
			err = trace_writer__flush(w);
	}
	return err;
}

static int write_file(const char *to, bool behind, uint64_t count)
{
	struct trace_writer *w;
	int err, close_err;

	err = trace_writer__create(to, &host, NULL, &w);
	if (err)
		return err;
	if (behind)
		trace_writer__use_threads(w);
	err = write_rows(w, count);
	close_err = trace_writer__close(w, &summary);
	return err ? err : close_err;
}

static bool same_content(const char *a, const char *b)
{
	FILE *first = fopen(a, "r"), *second = fopen(b, "r");
	int x, y;

	if (!first || !second)
		return false;
	do {
		x = getc(first);
		y = getc(second);
	} while (x == y && x != EOF);
	fclose(first);
	fclose(second);
	return x == y;
}

static void test_same_bytes(void)
{
	static const uint64_t counts[] = {0, 1, 101, TRACE_BLOCK_ROWS_MAX,
					  3 * TRACE_BLOCK_ROWS_MAX + 12345};

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		CHECK_EQ(write_file(path, false, counts[i]), 0);
		CHECK_EQ(write_file(other_path, true, counts[i]), 0);
		CHECK(same_content(path, other_path));
	}
}

static void test_short_writes(void)
{
	for (int behind = 0; behind < 2; behind++) {
		CHECK_EQ(write_file(path, false, 3000), 0);
		longest_write = 1009;
		CHECK_EQ(write_file(other_path, behind, 3000), 0);
		longest_write = SIZE_MAX;
		CHECK(same_content(path, other_path));
	}
}

/* A recorder that gives up closes without an end mark; all appended rows are in the file. */
static void test_abandoned(void)
{
	struct trace_writer *w;
	struct stat st;

	REQUIRE(!trace_writer__create(path, &host, NULL, &w));
	trace_writer__use_threads(w);
	trace_writer__use_threads(w);
	CHECK_EQ(write_rows(w, 70000), 0);
	CHECK_EQ(trace_writer__close(w, NULL), 0);
	CHECK(!stat(path, &st) && st.st_size > 10000);
}

/* A file size limit simulates a full disk. */
static void test_full_disk(void)
{
	struct rlimit unlimited, limited;
	struct trace_reader *reader;
	const char *message;
	struct trace_writer *w;
	uint64_t appended = 0;
	struct row_block block;
	uint64_t read = 0;
	struct stat st;
	int err = 0;

	signal(SIGXFSZ, SIG_IGN);
	REQUIRE(!getrlimit(RLIMIT_FSIZE, &unlimited));
	REQUIRE(!trace_writer__create(path, &host, NULL, &w));
	trace_writer__use_threads(w);
	limited = unlimited;
	limited.rlim_cur = 900001;
	REQUIRE(!setrlimit(RLIMIT_FSIZE, &limited));
	/* Not at the first row that did not fit, but soon after it. */
	while (!err && appended < 100 * TRACE_BLOCK_ROWS_MAX) {
		struct io_row io = row_of(appended);

		err = trace_writer__append_io(w, &io);
		appended += !err;
	}
	CHECK_EQ(err, -EFBIG);
	setrlimit(RLIMIT_FSIZE, &unlimited);
	CHECK_EQ(trace_writer__flush(w), -EFBIG);
	CHECK_EQ(trace_writer__bytes(w), stat(path, &st) ? -1 : (long long)st.st_size);
	CHECK_EQ(trace_writer__close(w, &summary), -EFBIG);
	REQUIRE(!trace_reader__open(path, &reader, &message));
	while (trace_reader__next(reader, 1u << ROW_IO, &block) == 1)
		read += block.rows;
	CHECK_EQ(trace_reader__end(reader), TRACE_END_TORN);
	trace_reader__free(reader);
	CHECK(read > 0 && read < appended && read % TRACE_BLOCK_ROWS_MAX == 0);
}

#define SLOW_BLOCKS	 96u
#define SLOW_BLOCK_BYTES 65536u

static void *read_all(void *context)
{
	int fd = *(int *)context;
	static uint8_t bytes[SLOW_BLOCK_BYTES];
	size_t total = 0;
	ssize_t got;

	while ((got = read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < got; i++, total++)
			if (bytes[i] != (uint8_t)(total / SLOW_BLOCK_BYTES))
				return NULL;
	}
	return total == (size_t)SLOW_BLOCKS * SLOW_BLOCK_BYTES ? context : NULL;
}

/* A pipe that is never read simulates a disk that does not answer. */
static void test_slow_disk(void)
{
	static uint8_t block[SLOW_BLOCK_BYTES];
	struct write_behind *behind;
	pthread_t reader;
	void *result;
	int fds[2];

	REQUIRE(!pipe(fds));
	REQUIRE(!write_behind__start(fds[1], 0, &behind));
	/* 6 MiB, far more than a pipe holds: a writer that waits would never return. */
	for (unsigned int i = 0; i < SLOW_BLOCKS; i++) {
		memset(block, (int)i, sizeof(block));
		CHECK_EQ(write_behind__append(behind, block, sizeof(block)), 0);
	}
	CHECK(write_behind__written(behind) <= 2 * SLOW_BLOCK_BYTES);
	REQUIRE(!pthread_create(&reader, NULL, read_all, &fds[0]));
	CHECK_EQ(write_behind__finish(behind), 0);
	close(fds[1]);
	pthread_join(reader, &result);
	CHECK(result);
	close(fds[0]);
}

static void test_errors_come_later(void)
{
	static uint8_t block[4096];
	struct write_behind *behind;
	unsigned int taken = 0;
	int fds[2], err;

	signal(SIGPIPE, SIG_IGN);
	REQUIRE(!pipe(fds));
	close(fds[0]);
	REQUIRE(!write_behind__start(fds[1], 100, &behind));
	while (!(err = write_behind__append(behind, block, sizeof(block))))
		taken++;
	CHECK(taken > 0);
	CHECK_EQ(err, -EPIPE);
	CHECK_EQ(write_behind__written(behind), 100);
	CHECK_EQ(write_behind__finish(behind), -EPIPE);
	close(fds[1]);
}

struct numbered {
	struct queue_entry entry;
	unsigned int number;
};

static struct numbered entries[20000];

static void *push_all(void *context)
{
	for (unsigned int i = 0; i < 20000; i++) {
		entries[i].number = i;
		queue__push(context, &entries[i].entry, i % 5000 == 4999 ? 1000 : i % 17);
	}
	queue__close(context);
	return NULL;
}

static void test_queue(void)
{
	struct queue *q = queue__new(64);
	struct queue_entry *entry;
	unsigned int count = 0;
	pthread_t pusher;

	REQUIRE(q);
	REQUIRE(!pthread_create(&pusher, NULL, push_all, q));
	while ((entry = queue__pop(q)))
		CHECK_EQ(((struct numbered *)entry)->number, count++);
	CHECK_EQ(count, 20000);
	CHECK(!queue__pop(q));
	pthread_join(pusher, NULL);
	queue__free(q);
	queue__free(NULL);
}

int main(void)
{
	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	snprintf(path, sizeof(path), "%s/t.reel", directory);
	snprintf(other_path, sizeof(other_path), "%s/u.reel", directory);
	RUN(test_same_bytes);
	RUN(test_short_writes);
	RUN(test_abandoned);
	RUN(test_full_disk);
	RUN(test_slow_disk);
	RUN(test_errors_come_later);
	RUN(test_queue);
	unlink(path);
	unlink(other_path);
	rmdir(directory);
	return TEST_RESULT;
}
