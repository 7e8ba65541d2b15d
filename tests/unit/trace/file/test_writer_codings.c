// SPDX-License-Identifier: MIT
/*
 * A writer that reuses earlier choices writes the same rows in hardly more bytes for any workload.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "trace/file/block.h"
#include "trace/file/reader.h"
#include "trace/file/writer.h"
#include "unit/shared/random.h"
#include "unit/shared/test.h"

#define PHASE_ROWS (5 * TRACE_BLOCK_ROWS_MAX + 4000u)
#define PHASES	   6u
#define ROWS	   (PHASES * PHASE_ROWS)
/* Without the padding at its end. */
#define FIELDS_BYTES (offsetof(struct io_row, origin) + 1)

static char directory[] = "/tmp/blkreel-unit-XXXXXX";
static char path[64];

static const struct trace_host host = {.tool = "test 1", .hostname = "h", .start_ns = 5};
static const struct trace_summary summary = {.stop_ns = 77, .command_status = -1};

/* Each phase is another workload: the best coding of a column changes. */
static struct io_row row_of(uint32_t i)
{
	uint32_t phase = i / PHASE_ROWS;
	uint64_t random = random_of(i), now_ns = 1000000 + 2000ull * i;
	struct io_row row = {.created_ns = now_ns + random % 500,
			     .issued_ns = now_ns + 600 + (random >> 8) % 200,
			     .completed_ns = now_ns + 9000 + (random >> 16) % 3000,
			     .sector = random >> 40,
			     .bytes = 4096,
			     .device = 1,
			     .depth = 32,
			     .op = IO_OP_READ};

	if (phase == 1 || phase == 4) {
		row.sector = 8ull * i;
		row.depth = 1 + i % 3;
		row.cpu = (uint16_t)(random >> 50) % 64;
	}
	if (phase == 2) {
		row.created_ns = random % 16 ? row.created_ns : 0;
		row.issued_ns = random % 5 ? row.issued_ns : 0;
		row.inserted_ns = random % 3 ? row.created_ns : 0;
		row.error = random % 100 ? 0 : -5;
		row.device = 1 + i % 2;
		row.bytes = 512 << random % 12;
	}
	if (phase == 3) {
		row.created_ns = random;
		row.sector = random;
		row.depth = (uint32_t)random;
		row.task = (uint32_t)random % 1000;
		row.op = (uint8_t)(random % IO_OP_COUNT);
	}
	if (phase == 5)
		row.sector = 8 * (random_of(i % 2000) % 100000);
	return row;
}

static int append_rows(struct trace_writer *w)
{
	int err = 0;

	for (uint32_t i = 0; i < ROWS && !err; i++) {
		struct io_row row = row_of(i);

		err = trace_writer__append_io(w, &row);
		if (!err && i % 77777 == 77776)
			err = trace_writer__flush(w);
	}
	return err;
}

/* Bytes, or -1. */
static long long write_file(bool fast)
{
	struct trace_writer_options options = {.fast = fast};
	struct trace_writer *w;
	struct stat st;
	int err;

	if (trace_writer__create(path, &host, &options, &w))
		return -1;
	err = append_rows(w);
	return trace_writer__close(w, &summary) || err || stat(path, &st) ? -1 : st.st_size;
}

static void check_rows(void)
{
	struct trace_reader *reader;
	struct row_block block;
	const char *message;
	uint32_t read = 0;

	REQUIRE(!trace_reader__open(path, &reader, &message));
	while (trace_reader__next(reader, 1u << ROW_IO, &block) == 1)
		for (uint32_t i = 0; i < block.rows; i++) {
			struct io_row row = row_of(read++);

			REQUIRE(!memcmp(&block.io[i], &row, FIELDS_BYTES));
		}
	CHECK_EQ(trace_reader__end(reader), TRACE_END_CLEAN);
	CHECK_EQ(read, ROWS);
	trace_reader__free(reader);
}

static void test_reused_codings_keep_rows_and_size(void)
{
	long long thorough_bytes, fast_bytes;

	thorough_bytes = write_file(false);
	REQUIRE(thorough_bytes > 0);
	check_rows();
	fast_bytes = write_file(true);
	REQUIRE(fast_bytes > 0);
	check_rows();
	CHECK(fast_bytes <= thorough_bytes + thorough_bytes / 50);
}

int main(void)
{
	if (!mkdtemp(directory))
		return 1;
	snprintf(path, sizeof(path), "%s/a.reel", directory);
	RUN(test_reused_codings_keep_rows_and_size);
	unlink(path);
	rmdir(directory);
	return TEST_RESULT;
}
