// SPDX-License-Identifier: MIT
/* A reader reads what a writer wrote; both refuse invalid input. */
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/bytes.h"
#include "trace/file/block.h"
#include "trace/file/closing.h"
#include "trace/file/input.h"
#include "trace/file/trace_kind.h"
#include "unit/trace/made_rows.h"

static void check_whole(uint32_t count)
{
	struct outcome outcome;

	make_rows(count);
	CHECK_EQ(write_file(count, &summary, 1), 0);
	outcome = read_file(count);
	CHECK_EQ(outcome.open_err, 0);
	CHECK_EQ(outcome.err, 0);
	CHECK_EQ(outcome.end, TRACE_END_CLEAN);
	CHECK_EQ(outcome.rows, 4 * (uint64_t)count);
	CHECK(outcome.all_true);
}

static void test_round_trip(void)
{
	static const uint32_t counts[] = {0,	1,    2,    100, TRACE_BLOCK_ROWS_MAX - 1,
					  8192, 8193, 20000};

	for (unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		check_whole(counts[i]);
}

static void test_tables(void)
{
	struct row_block block;
	struct trace_reader *r;

	make_rows(10);
	REQUIRE(!write_file(10, &summary, 1));
	REQUIRE(!trace_reader__open(path, &r, NULL));
	/* Known directly after opening, and after reading twice. */
	for (int pass = 0; pass < 2; pass++) {
		CHECK(!memcmp(trace_reader__host(r), &host, sizeof(host)));
		REQUIRE(trace_reader__device(r, 2));
		CHECK(!memcmp(trace_reader__device(r, 2), &device, sizeof(device)));
		CHECK(!trace_reader__device(r, 0) && !trace_reader__device(r, 1) &&
		      !trace_reader__device(r, 3) && !trace_reader__device(r, UINT32_MAX));
		CHECK_EQ(trace_reader__devices(r), 2);
		REQUIRE(trace_reader__task(r, 1));
		CHECK_TEXT(trace_reader__task(r, 1)->comm, "sixteen.no_NUL!");
		CHECK(trace_reader__task(r, 1)->kernel_thread);
		REQUIRE(trace_reader__file(r, 3));
		CHECK_TEXT(trace_reader__file(r, 3)->path, file.path);
		CHECK(trace_reader__file(r, 3)->inode == UINT64_MAX);
		CHECK_EQ(trace_reader__file(r, 3)->kind, FILE_BLOCKDEV);
		REQUIRE(trace_reader__cgroup(r, 1));
		CHECK_TEXT(trace_reader__cgroup(r, 1)->path, "/a");
		CHECK_TEXT(trace_reader__cgroup(r, 1)->container, "c\"\xff");
		CHECK_TEXT(trace_reader__cgroup(r, 1)->pod, "p");
		CHECK(!trace_reader__cgroup(r, 1)->pod_namespace);
		REQUIRE(trace_reader__cgroup(r, 1)->io_limit_count == 2);
		CHECK(!memcmp(trace_reader__cgroup(r, 1)->io_limits, io_limits, sizeof(io_limits)));
		REQUIRE(trace_reader__tier(r, 0) && !trace_reader__tier(r, 1));
		CHECK_TEXT(trace_reader__tier(r, 0)->note, "\xff");
		CHECK(!trace_reader__summary(r) == !pass);
		while (trace_reader__next(r, 0, &block) == 1)
			CHECK(false);
		CHECK_EQ(trace_reader__end(r), TRACE_END_CLEAN);
		CHECK_EQ(trace_reader__rows(r, ROW_IO), 10);
		CHECK_EQ(trace_reader__next(r, ALL_KINDS, &block), 0);
		REQUIRE(trace_reader__summary(r));
		CHECK(!memcmp(trace_reader__summary(r), &summary, sizeof(summary)));
		CHECK_EQ(trace_reader__rewind(r), 0);
		CHECK_EQ(trace_reader__rows(r, ROW_IO), 0);
	}
	trace_reader__free(r);
}

static void test_kinds_are_filtered(void)
{
	struct row_block block;
	struct trace_reader *r;
	uint64_t rows = 0;

	make_rows(50);
	REQUIRE(!write_file(50, &summary, 1));
	REQUIRE(!trace_reader__open(path, &r, NULL));
	while (trace_reader__next(r, 1u << ROW_TICK, &block) == 1) {
		CHECK_EQ(block.kind, ROW_TICK);
		CHECK(same_rows(&block, rows, 50));
		rows += block.rows;
	}
	CHECK_EQ(rows, 50);
	CHECK_EQ(trace_reader__rows(r, ROW_CACHE), 50);
	trace_reader__free(r);
}

static void test_resolution(void)
{
	static const uint64_t times[] = {0, 1, 999, 1000, 123456789};
	static const uint64_t rounded[] = {0, 1000, 1000, 1000, 123456000};
	struct row_block block;
	struct trace_reader *r;

	memset(ios, 0, sizeof(ios));
	for (int i = 0; i < 5; i++)
		ios[i].created_ns = ios[i].inserted_ns = ios[i].issued_ns = times[i];
	REQUIRE(!write_file(5, &summary, 1000));
	REQUIRE(!trace_reader__open(path, &r, NULL));
	CHECK_EQ(trace_reader__host(r)->resolution_ns, 1000);
	REQUIRE(trace_reader__next(r, 1u << ROW_IO, &block) == 1);
	for (int i = 0; i < 5; i++) {
		CHECK_EQ(block.io[i].created_ns, rounded[i]);
		CHECK_EQ(block.io[i].inserted_ns, rounded[i]);
		CHECK_EQ(block.io[i].issued_ns, rounded[i]);
	}
	trace_reader__free(r);
}

static void test_create_refuses(void)
{
	struct trace_writer *w;
	char link_path[80];
	struct stat st;

	REQUIRE(store((const uint8_t *)"precious text", 13));
	CHECK_EQ(trace_writer__create(path, &host, NULL, &w), -EEXIST);
	CHECK(!stat(path, &st) && st.st_size == 13);
	CHECK_EQ(trace_writer__create(directory, &host, NULL, &w), -EEXIST);
	CHECK_EQ(trace_writer__create("/dev/null", &host, NULL, &w), -EEXIST);
	snprintf(link_path, sizeof(link_path), "%s/link", directory);
	REQUIRE(!symlink(path, link_path));
	CHECK_EQ(trace_writer__create(link_path, &host, NULL, &w), -ELOOP);
	unlink(link_path);
	CHECK_EQ(trace_writer__create("/nonexistent/x", &host, NULL, &w), -ENOENT);
	/* An empty file and a trace are replaced, with any mode. */
	REQUIRE(store(NULL, 0) && !chmod(path, 0644));
	REQUIRE(!trace_writer__create(path, &host, NULL, &w));
	CHECK(!stat(path, &st) && (st.st_mode & 0777) == 0600);
	{
		struct trace_writer *second;

		CHECK_EQ(trace_writer__create(path, &host, NULL, &second), -EBUSY);
	}
	CHECK_EQ(trace_writer__close(w, &summary), 0);
	CHECK_EQ(write_file(0, &summary, 1), 0);
	CHECK_EQ(trace_writer__close(NULL, NULL), 0);
}

/* A file size limit simulates a full disk: write(2) writes a part, then fails. */
static void test_full_disk(void)
{
	struct rlimit unlimited, limited;
	struct outcome outcome;
	uint32_t appended = 0;
	struct trace_writer *w;
	struct stat st;
	int err;

	make_rows(ROWS_MAX);
	signal(SIGXFSZ, SIG_IGN);
	REQUIRE(!getrlimit(RLIMIT_FSIZE, &unlimited));
	REQUIRE(!trace_writer__create(path, &host, NULL, &w));
	limited = unlimited;
	limited.rlim_cur = 900001;
	REQUIRE(!setrlimit(RLIMIT_FSIZE, &limited));
	while (!(err = trace_writer__append_io(w, &ios[appended % ROWS_MAX])))
		appended++;
	CHECK_EQ(err, -EFBIG);
	/* The first error stays, even when there is space again. */
	setrlimit(RLIMIT_FSIZE, &unlimited);
	CHECK_EQ(trace_writer__append_tick(w, &ticks[0]), -EFBIG);
	CHECK_EQ(trace_writer__flush(w), -EFBIG);
	CHECK_EQ((long long)trace_writer__bytes(w), stat(path, &st) ? -1 : (long long)st.st_size);
	CHECK_EQ(trace_writer__close(w, &summary), -EFBIG);
	outcome = read_file(ROWS_MAX);
	CHECK_EQ(outcome.end, TRACE_END_TORN);
	CHECK(outcome.all_true);
	CHECK_EQ(outcome.rows, appended / TRACE_BLOCK_ROWS_MAX * TRACE_BLOCK_ROWS_MAX);
	CHECK(outcome.rows > 0);
}

static void test_tables_refuse(void)
{
	struct trace_task second = {.id = 2}, again = {.id = 2}, far = {.id = TRACE_TASKS_MAX + 1};
	static char long_path[TRACE_PATH_MAX + 1];
	struct trace_file too_long = {.id = 1, .path = long_path};
	struct trace_writer *w;

	memset(long_path, 'x', TRACE_PATH_MAX);
	REQUIRE(!trace_writer__create(path, &host, NULL, &w));
	CHECK_EQ(trace_writer__add_task(w, &(struct trace_task){0}), -EINVAL);
	CHECK_EQ(trace_writer__add_task(w, &second), 0);
	CHECK_EQ(trace_writer__add_task(w, &again), -EINVAL);
	CHECK_EQ(trace_writer__add_task(w, &far), -E2BIG);
	CHECK_EQ(trace_writer__add_file(w, &too_long), -ENAMETOOLONG);
	long_path[TRACE_PATH_MAX - 1] = '\0';
	CHECK_EQ(trace_writer__add_file(w, &too_long), 0);
	CHECK_EQ(trace_writer__close(w, &summary), 0);
	CHECK_EQ(read_file(0).end, TRACE_END_CLEAN);
}

/* Many long paths need several blocks of entries; all of them come back. */
static void test_many_files(void)
{
	static char text[3000];
	struct trace_file entry = {.path = text};
	struct trace_writer *w;
	struct trace_reader *r;
	struct row_block block;

	REQUIRE(!trace_writer__create(path, &host, NULL, &w));
	memset(text, 0xfe, sizeof(text) - 1);
	for (uint32_t id = 1; id <= 1000; id++) {
		entry.id = id;
		text[id] = 'x';
		REQUIRE(!trace_writer__add_file(w, &entry));
	}
	REQUIRE(!trace_writer__close(w, &summary));
	REQUIRE(!trace_reader__open(path, &r, NULL));
	CHECK_EQ(trace_reader__next(r, ALL_KINDS, &block), 0);
	CHECK_EQ(trace_reader__files(r), 1000);
	REQUIRE(trace_reader__file(r, 1000));
	CHECK_TEXT(trace_reader__file(r, 1000)->path, text);
	CHECK_EQ(strlen(trace_reader__file(r, 1)->path), sizeof(text) - 1);
	trace_reader__free(r);
}

static void test_open_refuses(void)
{
	const char *message = NULL;
	struct trace_reader *r;

	CHECK_EQ(trace_reader__open("/nonexistent", &r, &message), -ENOENT);
	CHECK(!message);
	CHECK_EQ(trace_reader__open(directory, &r, &message), -EISDIR);
	CHECK(message && strstr(message, "directory"));
	CHECK_EQ(trace_reader__open("/dev/zero", &r, &message), -EINVAL);
	REQUIRE(store((const uint8_t *)"some text that is no trace at all", 33));
	CHECK_EQ(trace_reader__open(path, &r, &message), -EINVAL);
	REQUIRE(store((const uint8_t *)"x", 1));
	CHECK_EQ(trace_reader__open(path, &r, &message), -EINVAL);
	REQUIRE(store((const uint8_t *)TRACE_MAGIC, 5));
	CHECK_EQ(trace_reader__open(path, &r, &message), -ENODATA);
	REQUIRE(store(NULL, 0));
	CHECK_EQ(trace_reader__open(path, &r, &message), -ENODATA);
	trace_reader__free(NULL);
}

/* What is cut right behind its magic is a trace still, and may be replaced. */
static void test_kind_needs_the_whole_magic(void)
{
	uint8_t head[TRACE_HEAD_BYTES];

	trace_head_put(head);
	CHECK(trace_kind.is_one((const char *)head, TRACE_HEAD_BYTES));
	CHECK(trace_kind.is_one((const char *)head, TRACE_MAGIC_BYTES));
	CHECK(!trace_kind.is_one((const char *)head, TRACE_MAGIC_BYTES - 1));
	head[TRACE_MAGIC_BYTES - 1] ^= 1;
	CHECK(!trace_kind.is_one((const char *)head, TRACE_HEAD_BYTES));
}

/* One byte of the head differs from what a writer of `version` puts there. */
static bool is_repairable(uint32_t version, size_t damaged_at)
{
	uint8_t head[TRACE_HEAD_BYTES];

	trace_head_put(head);
	put_le32(head + 8, version);
	put_le32(head + 28, block_crc(head, 28));
	if (damaged_at < TRACE_HEAD_BYTES)
		head[damaged_at] ^= 0x80;
	return trace_head_is_repairable(head, TRACE_HEAD_BYTES);
}

static void test_newer_head_is_not_damage(void)
{
	CHECK(is_repairable(TRACE_VERSION, 0));
	CHECK(is_repairable(TRACE_VERSION, 20));
	CHECK(is_repairable(TRACE_VERSION, 28));
	CHECK(!is_repairable(TRACE_VERSION + 1, TRACE_HEAD_BYTES));
	CHECK(!is_repairable(TRACE_VERSION + 1, 20));
	CHECK(!is_repairable(TRACE_VERSION + 1, 28));
	/* The version of what has another magic says nothing. */
	CHECK(is_repairable(TRACE_VERSION + 1, 0));
	CHECK(!trace_head_is_repairable((const uint8_t *)TRACE_MAGIC, TRACE_MAGIC_BYTES));
}

static void test_end_that_is_none(void)
{
	static const char list[] = "[1]", text[] = "no JSON";
	struct end_mark end;

	CHECK_EQ(closing__parse_end((const uint8_t *)list, strlen(list), &end), -EBADMSG);
	CHECK_EQ(closing__parse_end((const uint8_t *)text, strlen(text), &end), -EBADMSG);
}

int main(void)
{
	make_folder();
	RUN(test_round_trip);
	RUN(test_tables);
	RUN(test_kinds_are_filtered);
	RUN(test_resolution);
	RUN(test_create_refuses);
	RUN(test_full_disk);
	RUN(test_tables_refuse);
	RUN(test_many_files);
	RUN(test_open_refuses);
	RUN(test_kind_needs_the_whole_magic);
	RUN(test_newer_head_is_not_damage);
	RUN(test_end_that_is_none);
	remove_folder();
	return TEST_RESULT;
}
