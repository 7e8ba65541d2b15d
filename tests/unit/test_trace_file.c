/* What a writer writes a reader reads, and of a file that was cut or changed only what is true. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/format.h"
#include "trace/reader.h"
#include "trace/writer.h"
#include "unit/test.h"

#define ALL_KINDS ((1u << ROW_KIND_COUNT) - 1)

static char directory[] = "/dev/shm/blkreel-unit-XXXXXX";
static char path[64];

static uint64_t state = 1;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* All rows that the tests compare with; `count` of them are in the file. */
#define ROWS_MAX 20000
static struct io_row ios[ROWS_MAX];
static struct cache_row caches[ROWS_MAX];
static struct tick_row ticks[ROWS_MAX];
static struct loss_row losses[ROWS_MAX];

/* Fields of any value that their column can hold, most of them small as in real life. */
static void random_bytes(void *to, size_t bytes)
{
	for (size_t i = 0; i + 8 <= bytes; i += 8) {
		uint64_t value = next_random() >> (next_random() % 64);

		memcpy((char *)to + i, &value, 8);
	}
}

static void make_rows(uint32_t count)
{
	state = 1;
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
static const struct trace_cgroup cgroup = {.id = 1, .kernel_id = 99, .path = "/a"};
static const struct trace_tier tier = {"block", "tp_btf", "exact", "\xff"};
static const struct trace_summary summary = {.stop_ns = 77,
					     .in_flight_at_end = 1,
					     .started_before = 2,
					     .readahead_unknown_pages = 3,
					     .page_cache_bytes = 4096,
					     .page_cache_of_cgroup = true,
					     .page_cache_mglru = true,
					     .command_status = -1};

static int add_tables(struct trace_writer *w)
{
	int err = trace_writer__add_device(w, &device);

	err = err ? err : trace_writer__add_task(w, &task);
	err = err ? err : trace_writer__add_file(w, &file);
	err = err ? err : trace_writer__add_cgroup(w, &cgroup);
	return err ? err : trace_writer__add_tier(w, &tier);
}

static int write_file(uint32_t count, const struct trace_summary *end, uint64_t resolution_ns)
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

static bool same_io(const struct io_row *a, const struct io_row *b)
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

static bool same_cache(const struct cache_row *a, const struct cache_row *b)
{
	return a->time_ns == b->time_ns && a->interval_ns == b->interval_ns &&
	       a->cgroup == b->cgroup && a->file == b->file && a->task == b->task &&
	       !memcmp(&a->reads, &b->reads, sizeof(*a) - offsetof(struct cache_row, reads));
}

static bool same_loss(const struct loss_row *a, const struct loss_row *b)
{
	return a->from_ns == b->from_ns && a->to_ns == b->to_ns && a->count == b->count &&
	       a->class == b->class;
}

/* Whether the rows of a block are those that were written, from `at` on. */
static bool same_rows(const struct row_block *block, uint64_t at, uint32_t count)
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
	uint64_t rows; /* of all kinds, given out */
	bool all_true;
};

static struct outcome read_file(uint32_t count)
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
	/* Known right after opening, and still after reading twice. */
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

/* A file in memory, so that many variants of it can be written. */
static uint8_t *load(size_t *bytes)
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

static bool store(const uint8_t *content, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CREAT, 0600);
	bool stored = fd >= 0 && write(fd, content, bytes) == (ssize_t)bytes;

	close(fd);
	return stored;
}

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
		/* Every byte more leaves as many rows or more, and in the end all. */
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
	/* Garbage where a block would start is no torn block, however short it is. */
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

/* A whole block taken out leaves every checksum right; the end mark tells. */
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

static void test_what_create_refuses(void)
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
	/* An empty file and a trace are replaced, whatever their mode was. */
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

/* A file size limit is a full disk that a test can have: write(2) takes a part, then refuses. */
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
	/* The first error stays, also when there is room again. */
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

static void test_what_tables_refuse(void)
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

static void test_what_open_refuses(void)
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

int main(void)
{
	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	snprintf(path, sizeof(path), "%s/t.reel", directory);
	RUN(test_round_trip);
	RUN(test_tables);
	RUN(test_kinds_are_filtered);
	RUN(test_resolution);
	RUN(test_cut_at_every_byte);
	RUN(test_flip_every_byte);
	RUN(test_bytes_after_the_end);
	RUN(test_missing_block);
	RUN(test_no_end_mark);
	RUN(test_what_create_refuses);
	RUN(test_full_disk);
	RUN(test_what_tables_refuse);
	RUN(test_many_files);
	RUN(test_what_open_refuses);
	unlink(path);
	rmdir(directory);
	return TEST_RESULT;
}
