// SPDX-License-Identifier: MIT
/* A part of a recording is read through the index, and a wrong index never loses rows silently. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/file/block.h"
#include "trace/file/index.h"
#include "trace/file/reader.h"
#include "trace/row_time.h"
#include "trace/file/writer.h"
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#define ALL_KINDS ((1u << ROW_KIND_COUNT) - 1)

#define START_NS   1000000u
#define BLOCKS	   40u
#define BLOCK_ROWS 50u
#define ROWS	   (BLOCKS * BLOCK_ROWS)
#define STEP_NS	   100u
#define LENGTH_NS  (ROWS * STEP_NS)

static uint64_t read_bytes; /* by the reader, of any file */

/* Replaces the C library's. */
ssize_t pread(int fd, void *to, size_t bytes, off_t offset)
{
	ssize_t got = syscall(SYS_pread64, fd, to, bytes, offset);

	read_bytes += got > 0 ? (uint64_t)got : 0;
	return got;
}

static char directory[] = "/dev/shm/blkreel-unit-XXXXXX";
static char path[64];
static struct io_row ios[ROWS];
/* Mostly in order of completion; the sector identifies the row. */
static void make_rows(void)
{
	random_state = 1;
	memset(ios, 0, sizeof(ios));
	for (uint32_t i = 0; i < ROWS; i++) {
		struct io_row *row = &ios[i];

		row->sector = i + 1;
		row->completed_ns = START_NS + (uint64_t)i * STEP_NS + next_random() % 500;
		row->issued_ns = row->completed_ns - next_random() % 2000;
		row->created_ns = row->issued_ns - next_random() % 2000;
		if (next_random() % 10 == 0)
			row->created_ns = 0;
		if (next_random() % 10 == 0)
			row->issued_ns = 0;
		if (next_random() % 100 == 0)
			row->created_ns = row->issued_ns = row->completed_ns = 0;
	}
}

/* One tick and one task stand between any two blocks of io rows. */
static int write_file(bool with_end)
{
	static const struct trace_host host = {.start_ns = START_NS};
	static const struct trace_summary summary = {.stop_ns = START_NS + LENGTH_NS};
	struct trace_writer *w;
	int err = trace_writer__create(path, &host, NULL, &w), closed;

	if (err)
		return err;
	for (uint32_t i = 0; i < ROWS && !err; i++) {
		struct trace_task task = {.id = i / BLOCK_ROWS + 1, .pid = i};
		struct tick_row tick = {.time_ns = START_NS + (uint64_t)i * STEP_NS, .device = 1};

		err = trace_writer__append_io(w, &ios[i]);
		if (err || i % BLOCK_ROWS != BLOCK_ROWS - 1)
			continue;
		err = trace_writer__add_task(w, &task);
		err = err ? err : trace_writer__append_tick(w, &tick);
		err = err ? err : trace_writer__flush(w);
	}
	closed = trace_writer__close(w, with_end ? &summary : NULL);
	return err ? err : closed;
}

/* --from and --to as documented, implemented apart from the code under test. */
static bool belongs(const struct io_row *row, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t seen = row->created_ns	 ? row->created_ns
			: row->issued_ns ? row->issued_ns
					 : row->completed_ns;
	uint64_t after = seen > START_NS ? seen - START_NS : 0;

	if (!from_ns && to_ns == UINT64_MAX)
		return true;
	return seen && after >= from_ns && after < to_ns;
}

struct outcome {
	int err;
	enum trace_end end;
	bool all_true;	     /* the rows that belong to the window, each once and in order */
	uint64_t rows;	     /* that the reader counted */
	uint64_t given;	     /* blocks */
	uint64_t read_bytes; /* for these rows */
	uint32_t tasks;
};

static struct outcome read_window(struct trace_reader *r, uint64_t from_ns, uint64_t to_ns)
{
	struct outcome o = {.all_true = true};
	struct row_block block;
	uint32_t next = 0;

	read_bytes = 0;
	while ((o.err = trace_reader__next(r, 1u << ROW_IO, &block)) == 1) {
		o.given++;
		for (uint32_t i = 0; i < block.rows; i++) {
			if (!belongs(&block.io[i], from_ns, to_ns))
				continue;
			while (next < ROWS && !belongs(&ios[next], from_ns, to_ns))
				next++;
			o.all_true &= next < ROWS && block.io[i].sector == ios[next++].sector;
		}
	}
	while (next < ROWS && !belongs(&ios[next], from_ns, to_ns))
		next++;
	o.all_true &= next == ROWS;
	o.end = trace_reader__end(r);
	o.rows = trace_reader__rows(r, ROW_IO);
	o.read_bytes = read_bytes;
	o.tasks = trace_reader__tasks(r);
	return o;
}

static struct outcome read_file(uint64_t from_ns, uint64_t to_ns)
{
	struct outcome o = {.err = -EINVAL};
	struct trace_reader *r;

	if (trace_reader__open(path, &r, NULL))
		return o;
	trace_reader__set_window(r, from_ns, to_ns);
	o = read_window(r, from_ns, to_ns);
	trace_reader__free(r);
	return o;
}

/* Bytes of the file that are read without skipping. */
static uint64_t whole_bytes(void)
{
	return read_file(0, UINT64_MAX).read_bytes;
}

static const uint64_t windows[][2] = {
	{0, UINT64_MAX},	  {0, 1},
	{0, LENGTH_NS / 2},	  {1, UINT64_MAX},
	{LENGTH_NS / 2, 1 << 30}, {LENGTH_NS / 2, LENGTH_NS / 2 + 1},
	{LENGTH_NS - 1, 1 << 30}, {LENGTH_NS / 3, LENGTH_NS / 3 + 5000},
	{1 << 30, UINT64_MAX},	  {UINT64_MAX - 1, UINT64_MAX},
};
#define WINDOWS (sizeof(windows) / sizeof(windows[0]))

static void check_whole(const struct outcome *o)
{
	CHECK_EQ(o->err, 0);
	CHECK_EQ(o->end, TRACE_END_CLEAN);
	CHECK(o->all_true);
	CHECK_EQ(o->rows, ROWS);
	CHECK_EQ(o->tasks, BLOCKS);
}

static void test_windows(void)
{
	REQUIRE(!write_file(true));
	for (unsigned int i = 0; i < WINDOWS; i++) {
		struct outcome o = read_file(windows[i][0], windows[i][1]);

		check_whole(&o);
	}
	/* The edges: the first time of a row lies in the window that begins with it. */
	for (uint32_t i = 0; i < ROWS; i += 1 + i % 7) {
		uint64_t seen = ios[i].created_ns  ? ios[i].created_ns
				: ios[i].issued_ns ? ios[i].issued_ns
						   : ios[i].completed_ns;
		struct outcome o;

		if (seen <= START_NS)
			continue;
		o = read_file(seen - START_NS, seen - START_NS + 1);
		check_whole(&o);
	}
	for (int i = 0; i < 200; i++) {
		uint64_t from_ns = next_random() % (LENGTH_NS + 1000);
		struct outcome o = read_file(from_ns, from_ns + 1 + next_random() % 20000);

		check_whole(&o);
	}
}

/* A block has 5 us, and its rows reach 4 us back: a window of 1 ns lies in at most two. */
static void test_little_is_read(void)
{
	struct outcome o;

	REQUIRE(!write_file(true));
	o = read_file(LENGTH_NS - 3000, LENGTH_NS - 2999);
	check_whole(&o);
	CHECK(o.given >= 1 && o.given <= 2);
	CHECK(2 * o.read_bytes < whole_bytes());
	o = read_file(0, 1000);
	check_whole(&o);
	CHECK(o.given <= 2);
	CHECK(2 * o.read_bytes < whole_bytes());
	o = read_file(1 << 30, UINT64_MAX);
	check_whole(&o);
	CHECK_EQ(o.given, 0);
	CHECK(2 * o.read_bytes < whole_bytes());
	o = read_file(0, UINT64_MAX);
	CHECK_EQ(o.given, BLOCKS);
}

static void test_rewind_and_another_window(void)
{
	struct trace_reader *r;
	struct outcome o;

	REQUIRE(!write_file(true));
	REQUIRE(!trace_reader__open(path, &r, NULL));
	trace_reader__set_window(r, LENGTH_NS / 2, LENGTH_NS);
	for (int pass = 0; pass < 2; pass++) {
		o = read_window(r, LENGTH_NS / 2, LENGTH_NS);
		check_whole(&o);
		CHECK(8 * o.read_bytes < 7 * whole_bytes());
		REQUIRE(!trace_reader__rewind(r));
	}
	trace_reader__set_window(r, 0, UINT64_MAX);
	o = read_window(r, 0, UINT64_MAX);
	check_whole(&o);
	trace_reader__free(r);
}

static void test_no_index(void)
{
	REQUIRE(!write_file(false));
	for (unsigned int i = 0; i < WINDOWS; i++) {
		struct outcome o = read_file(windows[i][0], windows[i][1]);

		CHECK_EQ(o.err, 0);
		CHECK_EQ(o.end, TRACE_END_TORN);
		CHECK(o.all_true);
		CHECK_EQ(o.read_bytes, whole_bytes());
	}
}

/* A damaged block in the window is found; one outside is skipped. */
static void test_damage(void)
{
	uint64_t at = TRACE_HEAD_BYTES;
	struct outcome o;
	uint8_t byte;
	int fd;

	REQUIRE(!write_file(true));
	fd = open(path, O_RDWR);
	REQUIRE(fd >= 0);
	for (bool found = false; !found;) {
		uint8_t header[TRACE_BLOCK_HEAD_BYTES];
		struct block_head head;
		const char *reason;

		REQUIRE(pread(fd, header, sizeof(header), (off_t)at) == sizeof(header));
		REQUIRE(!block_head_get(header, &head, &reason));
		found = head.kind == BLOCK_IO;
		at += TRACE_BLOCK_HEAD_BYTES + (found ? 20 : head.stored_bytes);
	}
	REQUIRE(pread(fd, &byte, 1, (off_t)at) == 1);
	byte ^= 1;
	REQUIRE(pwrite(fd, &byte, 1, (off_t)at) == 1);
	close(fd);
	o = read_file(LENGTH_NS / 2, LENGTH_NS);
	check_whole(&o);
	o = read_file(0, LENGTH_NS / 2);
	CHECK_EQ(o.err, -EBADMSG);
	CHECK_EQ(o.end, TRACE_END_DAMAGED);
}

/* A file whose index the tests write themselves ------------------------------------------------ */

#define ENTRIES (2 * BLOCKS)
static struct index_entry entries[ENTRIES + 1];
static uint64_t index_at;

/* Puts a plain block at the end of the file. */
static bool append_block(int fd, enum block_kind kind, uint32_t rows, const char *payload,
			 size_t bytes)
{
	struct block_head head = {.kind = (uint8_t)kind,
				  .rows = rows,
				  .raw_bytes = (uint32_t)bytes,
				  .stored_bytes = (uint32_t)bytes};
	uint8_t header[TRACE_BLOCK_HEAD_BYTES];

	head.payload_crc = block_crc((const uint8_t *)payload, bytes);
	block_head_put(header, &head);
	return write(fd, header, sizeof(header)) == sizeof(header) &&
	       write(fd, payload, bytes) == (ssize_t)bytes;
}

/* Reads the entries of the file that write_file() made. */
static bool load_index(void)
{
	struct input *in;
	struct block_head head;
	const char *message;
	struct end_mark end;
	json_t *json;
	bool good;

	if (input__open(path, &in, &message))
		return false;
	input__seek(in, input__bytes(in) - 256);
	good = input__read(in, &head) == INPUT_BLOCK;
	json = json_loadb((const char *)input__payload(in, &head), head.raw_bytes, 0, NULL);
	good = good && !meta_to_end(json, &end);
	json_decref(json);
	index_at = end.index_at;
	input__seek(in, index_at);
	good = good && input__read(in, &head) == INPUT_BLOCK && head.rows == ENTRIES;
	json = json_loadb((const char *)input__payload(in, &head), head.raw_bytes, 0, NULL);
	for (uint32_t i = 0; good && i < ENTRIES; i++)
		good = !meta_to_index(json_array_get(json, i), &entries[i]);
	json_decref(json);
	input__free(in);
	return good;
}

/* Replaces index and end block: `text` as the index, the end block points to `points_at`. */
static bool store_index(const char *text, uint32_t rows, uint64_t points_at)
{
	char end[TRACE_END_PAYLOAD_BYTES + 1];
	int fd = open(path, O_WRONLY), length;
	bool good = fd >= 0 && !ftruncate(fd, (off_t)index_at) && lseek(fd, 0, SEEK_END) > 0;

	length = snprintf(end, sizeof(end),
			  "{\"index_at\":%llu,\"blocks\":%u,\"io\":%u,\"cache\":0,\"tick\":%u,"
			  "\"loss\":0}",
			  (unsigned long long)points_at, ENTRIES, ROWS, BLOCKS);
	memset(end + length, ' ', sizeof(end) - (size_t)length);
	good = good && append_block(fd, BLOCK_INDEX, rows, text, strlen(text)) &&
	       append_block(fd, BLOCK_END, 1, end, TRACE_END_PAYLOAD_BYTES);
	close(fd);
	return good;
}

static bool store_entries(uint32_t count)
{
	json_t *array = json_array();
	char *text;
	bool good;

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, meta_from_index(&entries[i]));
	text = json_dumps(array, JSON_COMPACT);
	good = store_index(text, count, index_at);
	free(text);
	json_decref(array);
	return good;
}

/* Reading yields every row of the window, or reports damage. */
static void check_nothing_lost_silently(const char *what)
{
	uint64_t damaged = 0;

	for (unsigned int i = 0; i < WINDOWS; i++) {
		struct outcome o = read_file(windows[i][0], windows[i][1]);

		if (o.err == -EBADMSG && o.end == TRACE_END_DAMAGED) {
			damaged++;
			continue;
		}
		if (o.err || !o.all_true || o.rows != ROWS || o.end != TRACE_END_CLEAN) {
			printf("# %s, window %u: err %d, end %d, rows %llu, all true %d\n", what, i,
			       o.err, o.end, (unsigned long long)o.rows, o.all_true);
			CHECK(false);
		}
	}
	/* The whole file never needs the index. */
	CHECK(damaged < WINDOWS);
}

static void test_own_index_is_used(void)
{
	struct outcome o;

	REQUIRE(!write_file(true) && load_index() && store_entries(ENTRIES));
	o = read_file(LENGTH_NS - 3000, LENGTH_NS - 2999);
	check_whole(&o);
	CHECK(3 * o.read_bytes < 2 * whole_bytes());
}

/* Each field of each entry is wrong by one, up or down. */
static void test_wrong_fields(void)
{
	REQUIRE(!write_file(true) && load_index());
	for (uint32_t i = 0; i < ENTRIES; i += 7) {
		struct index_entry good = entries[i];

		entries[i].offset++;
		REQUIRE(store_entries(ENTRIES));
		check_nothing_lost_silently("offset");
		entries[i] = good;
		entries[i].kind = good.kind == BLOCK_IO ? BLOCK_CACHE : BLOCK_IO;
		REQUIRE(store_entries(ENTRIES));
		check_nothing_lost_silently("kind");
		entries[i] = good;
		entries[i].rows--;
		REQUIRE(store_entries(ENTRIES));
		check_nothing_lost_silently("rows");
		entries[i] = good;
	}
}

/* An entry that does not match its block skips nothing. */
static void test_wrong_first_entry(void)
{
	REQUIRE(!write_file(true) && load_index());
	for (int field = 0; field < 3; field++) {
		struct index_entry good = entries[0];

		entries[0].offset -= field == 0;
		entries[0].kind += field == 1;
		entries[0].rows += field == 2;
		REQUIRE(store_entries(ENTRIES));
		CHECK(read_file(LENGTH_NS / 2, LENGTH_NS).read_bytes >= whole_bytes());
		entries[0] = good;
	}
}

/* The first block that is read shows a wrong time: blocks that were skipped are then read. */
static void test_wrong_times(void)
{
	struct outcome o;

	REQUIRE(!write_file(true) && load_index());
	/* All times are those of the next block. */
	for (uint32_t i = 0; i < ENTRIES; i++) {
		entries[i].first_ns += BLOCK_ROWS * STEP_NS;
		entries[i].last_ns += BLOCK_ROWS * STEP_NS;
	}
	REQUIRE(store_entries(ENTRIES));
	o = read_file(LENGTH_NS / 2, LENGTH_NS / 2 + 1000);
	check_whole(&o);
	CHECK(o.read_bytes >= whole_bytes());
	/* The first is true, so rows were returned before the wrong one. */
	REQUIRE(!write_file(true) && load_index());
	entries[2].last_ns = entries[2].first_ns = START_NS + LENGTH_NS;
	entries[4].last_ns++;
	REQUIRE(store_entries(ENTRIES));
	o = read_file(0, LENGTH_NS);
	CHECK_EQ(o.err, -EBADMSG);
	CHECK_EQ(o.end, TRACE_END_DAMAGED);
}

static void test_entries_missing_and_added(void)
{
	for (uint32_t i = 0; i < ENTRIES; i += 7) {
		REQUIRE(!write_file(true) && load_index());
		memmove(&entries[i], &entries[i + 1], (ENTRIES - 1 - i) * sizeof(entries[0]));
		REQUIRE(store_entries(ENTRIES - 1));
		check_nothing_lost_silently("missing");
		REQUIRE(!write_file(true) && load_index());
		memmove(&entries[i + 1], &entries[i], (ENTRIES - i) * sizeof(entries[0]));
		REQUIRE(store_entries(ENTRIES + 1));
		check_nothing_lost_silently("twice");
	}
}

static void test_a_block_that_is_no_index_is_ignored(void)
{
	static const char *const texts[] = {
		"[]",
		"{}",
		"[[]]",
		"[[1,2,3,4]]",
		"[[1,2,3,4,5,6]]",
		"[[1,2,3,4,-5]]",
		"[[1,999,3,4,5]]",
		"[[1,2,3,\"x\",5]]",
		"nonsense",
		"[[1,2,99999999999,4,5]]",
		"null",
		"[1]",
	};
	uint64_t places[] = {1, TRACE_HEAD_BYTES, 0, 1ull << 62, 0};

	for (unsigned int i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		REQUIRE(!write_file(true) && load_index());
		REQUIRE(store_index(texts[i], 1, index_at));
		check_nothing_lost_silently(texts[i]);
	}
	for (unsigned int i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		REQUIRE(!write_file(true) && load_index());
		places[4] = index_at + TRACE_BLOCK_HEAD_BYTES + 2; /* the end block itself */
		REQUIRE(store_index("[]", 0, places[i]));
		check_nothing_lost_silently("index_at");
	}
}

int main(void)
{
	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	snprintf(path, sizeof(path), "%s/t.reel", directory);
	make_rows();
	RUN(test_windows);
	RUN(test_little_is_read);
	RUN(test_rewind_and_another_window);
	RUN(test_no_index);
	RUN(test_damage);
	RUN(test_own_index_is_used);
	RUN(test_wrong_fields);
	RUN(test_wrong_first_entry);
	RUN(test_wrong_times);
	RUN(test_entries_missing_and_added);
	RUN(test_a_block_that_is_no_index_is_ignored);
	unlink(path);
	rmdir(directory);
	return TEST_RESULT;
}
