// SPDX-License-Identifier: MIT
/*
 * Profiles of operations on files: the layout, runs of bytes, and what is generated against what
 * was there.
 */
#include <errno.h>
#include <unistd.h>

#include "base/units.h"
#include "profile/build/build.h"
#include "profile/generate/file_generator.h"
#include "profile/file_layout.h"
#include "profile/file_ops.h"
#include "profile/file_runs.h"
#include "profile/build/file_source.h"
#include "profile/prng.h"
#include "trace/file/writer.h"
#include "unit/shared/test.h"
#include "workload/page_cache/page_lists.h"

#define FILES	    211u
#define TABLE_FILE  (FILES + 1)
#define LOG_FILE    (FILES + 2)
#define TABLE_PAGES 6007u
#define FILE_PAGES  8192u
#define ROWS	    40000u
#define SIZES	    4u

struct rows {
	struct access_row *items;
	uint32_t count;
};

static const struct profile_files some_files = {
	.class_count = 3,
	.classes = {{4096, 10}, {12288, 3}, {1048576, 2}},
};

static void addresses_are_places_in_files(void)
{
	struct file_layout layout;
	struct file_place place;

	CHECK_EQ(file_layout_init(&layout, &some_files), 0);
	CHECK_EQ(layout.total_files, 15);
	CHECK_EQ(layout.total_bytes, 10 * 4096 + 3 * 12288 + 2 * 1048576);
	for (uint32_t file = 1; file <= 15; file++) {
		uint64_t address = file_layout_address(&layout, file);

		place = file_layout_find(&layout, address);
		CHECK_EQ(place.file, file);
		CHECK_EQ(place.address, address);
		place = file_layout_find(&layout, address + place.bytes - 1);
		CHECK_EQ(place.file, file);
	}
	CHECK_EQ(file_layout_find(&layout, UINT64_MAX).file, 15);
	CHECK_EQ(file_layout_larger(&layout, 0, 5000).bytes, 12288);
	CHECK_EQ(file_layout_larger(&layout, 0, 1ull << 40).bytes, 1048576);
	CHECK(file_layout_holds(&layout, 80 + 8, 8192));
	CHECK(!file_layout_holds(&layout, 80 + 16, 8192));
	CHECK_EQ(file_layout_fit(&layout, 80 + 20, 8192, false), 80 + 8);
	CHECK_EQ(file_layout_fit(&layout, 80 + 20, 4096, true), 80);
	CHECK_EQ(file_layout_init(&layout, &(struct profile_files){0}), -ERANGE);
	CHECK_EQ(file_layout_init(&layout, &(struct profile_files){.class_count = 1,
								   .classes = {{1ull << 60, 2}}}),
		 -ERANGE);
}

static void small_appends_are_a_run_that_gets_as_far_as_they_do(void)
{
	struct file_runs there = {0}, back = {0};
	uint64_t at = 0;

	for (unsigned int i = 0; i < 1000; i++) {
		uint64_t bytes = 60 + i % 7 * 33;
		bool continues;
		uint64_t sector = file_runs_sector(&there, at, bytes, 1 << 20, &continues);
		const struct file_run *run = file_runs_find(&back, sector);

		CHECK_EQ(continues, i > 0);
		CHECK_EQ(run != NULL, i > 0);
		CHECK(sector + 1 >= at / SECTOR_BYTES && sector <= at / SECTOR_BYTES + 1);
		CHECK_EQ(run ? run->end : sector * SECTOR_BYTES, at);
		file_runs_follow(&back, sector, at, bytes, 1);
		at += bytes;
	}
}

static void the_same_few_bytes_again_are_no_run(void)
{
	struct file_runs runs = {0};
	bool continues;

	for (unsigned int i = 0; i < 5; i++) {
		CHECK_EQ(file_runs_sector(&runs, 8192, 24, 1 << 20, &continues), 16);
		CHECK(!continues);
	}
}

static void operations_are_requests_and_back(void)
{
	for (unsigned int op = 0; op < ACCESS_OP_COUNT; op++) {
		for (uint32_t flags = 0; flags < 2u * ACCESS_WAITS; flags++) {
			uint32_t io_flags;
			enum io_op io_op;

			if (!file_op_is_kept(op) || flags & ~file_op_flags_of(op))
				continue;
			io_op = file_op_to_io(op, flags, &io_flags);
			CHECK_EQ(file_op_of_io(io_op, io_flags), op);
			CHECK_EQ(file_op_flags(io_op, io_flags), flags);
			CHECK_EQ(io_flags & ~(uint32_t)PROFILE_FLAGS, 0);
		}
	}
	CHECK(!file_op_is_kept(ACCESS_TRUNCATE) && !file_op_is_kept(ACCESS_ADVICE));
	CHECK(!(file_op_flags_of(ACCESS_READ) & ACCESS_DIRTIED));
}

static void add(struct rows *rows, enum access_op op, uint32_t file, uint64_t offset,
		uint64_t bytes)
{
	if (rows->count == ROWS)
		return;
	rows->items[rows->count] =
		(struct access_row){.time_ns = NSEC_PER_SEC + rows->count * 50000ull,
				    .task = 1,
				    .op = (uint8_t)op,
				    .file = file,
				    .offset = offset,
				    .bytes = bytes};
	rows->count++;
}

static uint64_t file_bytes(uint32_t file)
{
	return 1000 + file * 977ull % 61 * 4001;
}

/*
 * Whole small files, some far more often than others; pages of a table, skewed; a log with syncs.
 */
static struct rows workload(void)
{
	struct rows rows = {.items = calloc(ROWS, sizeof(*rows.items))};
	uint64_t log_bytes = 0, offset;
	struct prng random;

	if (!rows.items)
		abort();
	prng_seed(&random, 3);
	while (rows.count < ROWS) {
		uint64_t kind = prng_below(&random, 100);

		if (kind < 10) {
			uint32_t file =
				1 + (uint32_t)prng_below(&random, 1 + prng_below(&random, FILES));

			for (offset = 0; offset < file_bytes(file); offset += 16384)
				add(&rows, ACCESS_READ, file, offset,
				    file_bytes(file) - offset < 16384 ? file_bytes(file) - offset
								      : 16384);
		} else if (kind < 70) {
			uint64_t page = prng_below(
				&random,
				1 + prng_below(&random, 1 + prng_below(&random, TABLE_PAGES)));

			add(&rows, kind < 60 ? ACCESS_READ : ACCESS_FAULT, TABLE_FILE, page * 4096,
			    4096);
		} else {
			uint64_t bytes = 100 + kind;

			add(&rows, ACCESS_WRITE, LOG_FILE, log_bytes, bytes);
			log_bytes += bytes;
			if (kind >= 95)
				add(&rows, ACCESS_SYNC, LOG_FILE, 0, 0);
		}
	}
	return rows;
}

static struct trace_reader *reader_of(const struct rows *rows, char path[64])
{
	struct trace_host host = {.tool = "test", .start_ns = NSEC_PER_SEC, .resolution_ns = 1};
	struct trace_summary summary = {.stop_ns = 2 * NSEC_PER_SEC, .command_status = -1};
	struct trace_reader *reader;
	struct trace_writer *w;
	int fd, err;

	strcpy(path, "/tmp/test_profile_files_XXXXXX");
	fd = mkstemp(path);
	if (fd < 0 || trace_writer__create_on(fd, &host, NULL, &w))
		abort();
	for (uint32_t id = 1; id <= LOG_FILE; id++) {
		struct trace_file file = {.id = id, .inode = id, .path = ""};

		CHECK_EQ(trace_writer__add_file(w, &file), 0);
	}
	for (uint32_t i = 0; i < rows->count; i++)
		CHECK_EQ(trace_writer__append_access(w, &rows->items[i]), 0);
	err = trace_writer__close(w, &summary);
	if (err || trace_reader__open(path, &reader, NULL))
		abort();
	return reader;
}

static int to_builder(const struct io_row *request, uint32_t space, void *context)
{
	return profile_builder__add_as(context, request, SUBMITTER_FILE, space, NULL);
}

/* By way of its text, as whoever reads it sees it. */
static struct profile *profile_of(const struct rows *rows)
{
	char path[64], message[PROFILE_MESSAGE_MAX], *text = NULL;
	struct trace_reader *reader = reader_of(rows, path);
	struct profile *built, *read = NULL;
	struct profile_builder *builder;
	struct file_source source;
	size_t text_bytes;
	uint64_t late;
	FILE *out;

	CHECK_EQ(file_source__scan(&source, reader), 0);
	CHECK_EQ(profile_builder__create(&source.extent, &builder), 0);
	CHECK_EQ(file_source__each(&source, reader, to_builder, builder, &late), 0);
	CHECK_EQ(late, 0);
	if (profile_builder__finish(builder, &built))
		abort();
	built->level = PROFILE_OF_FILES;
	built->files = source.files;
	out = open_memstream(&text, &text_bytes);
	CHECK_EQ(profile__save(built, out), 0);
	fclose(out);
	CHECK(text_bytes < 16384);
	CHECK_EQ(profile__parse(text, text_bytes, &read, message), 0);
	CHECK_TEXT(message, "");
	free(text);
	profile__free(built);
	profile_builder__free(builder);
	file_source__release(&source);
	trace_reader__free(reader);
	unlink(path);
	return read;
}

static struct rows generated(const struct profile *p, uint64_t seed)
{
	struct rows rows = {.items = calloc(ROWS + 1, sizeof(*rows.items))};
	struct file_generator *g;
	int got = 1;

	if (!rows.items || file_generator__create(p, seed, &g))
		abort();
	while (rows.count <= ROWS && (got = file_generator__next(g, &rows.items[rows.count])) > 0)
		rows.count++;
	CHECK_EQ(got, 0);
	file_generator__free(g);
	return rows;
}

/* Of the pages that are read: in Linux's two lists, without readahead. */
static void in_caches(const struct rows *rows, double hit_pct[SIZES])
{
	static const uint64_t pages[SIZES] = {500, 1000, 2000, 4000};

	for (unsigned int size = 0; size < SIZES; size++) {
		struct page_lists *cache;
		uint64_t hits = 0, reads = 0;

		if (page_lists__create(pages[size], &cache) ||
		    page_lists__grow(cache, (LOG_FILE + 1) * FILE_PAGES))
			abort();
		for (uint32_t i = 0; i < rows->count; i++) {
			const struct access_row *row = &rows->items[i];
			uint32_t page = (uint32_t)(row->file * FILE_PAGES + row->offset / 4096);
			uint32_t end = page + (uint32_t)access_row_pages(row);

			for (; page < end; page++) {
				bool there = page_lists__holds(cache, page);

				reads += row->op != ACCESS_WRITE;
				hits += there && row->op != ACCESS_WRITE;
				if (!there)
					page_lists__insert(cache, page);
				else if (row->op != ACCESS_WRITE)
					page_lists__access(cache, page);
			}
		}
		page_lists__free(cache);
		hit_pct[size] = 100.0 * (double)hits / (double)reads;
	}
}

static void count(const struct rows *rows, uint64_t ops[ACCESS_OP_COUNT],
		  uint64_t bytes[ACCESS_OP_COUNT])
{
	for (uint32_t i = 0; i < rows->count; i++) {
		ops[rows->items[i].op]++;
		bytes[rows->items[i].op] += rows->items[i].bytes;
	}
}

static void what_is_generated_is_what_was_there(void)
{
	struct rows rows = workload();
	struct profile *p = profile_of(&rows);
	double wanted[SIZES], got[SIZES];

	REQUIRE(p);
	CHECK_EQ(p->files.class_count > 3 && p->files.class_count <= 64, 1);
	in_caches(&rows, wanted);
	for (uint64_t seed = 1; seed <= 3; seed++) {
		uint64_t ops[2][ACCESS_OP_COUNT] = {{0}}, bytes[2][ACCESS_OP_COUNT] = {{0}};
		struct rows again = generated(p, seed);

		count(&rows, ops[0], bytes[0]);
		count(&again, ops[1], bytes[1]);
		for (unsigned int op = 0; op < ACCESS_OP_COUNT; op++) {
			CHECK_EQ(ops[1][op], ops[0][op]);
			CHECK_EQ(bytes[1][op], bytes[0][op]);
		}
		in_caches(&again, got);
		for (unsigned int i = 0; i < SIZES; i++) {
			if (got[i] - wanted[i] < 3 && wanted[i] - got[i] < 3)
				continue;
			printf("# seed %d size %u: %.2f %%, not %.2f %%\n", (int)seed, i, got[i],
			       wanted[i]);
			test_failures_in_case++;
		}
		free(again.items);
	}
	profile__free(p);
	free(rows.items);
}

static void rows_of_a_generator_are_of_its_files(void)
{
	struct rows rows = workload(), again;
	struct profile *p = profile_of(&rows);
	struct file_layout layout;
	uint64_t beyond = 0, syncs_of_others = 0;

	REQUIRE(p);
	again = generated(p, 1);
	CHECK_EQ(file_layout_init(&layout, &p->files), 0);
	CHECK(layout.total_files > FILES / 2 && layout.total_files <= LOG_FILE);
	for (uint32_t i = 0; i < again.count; i++) {
		const struct access_row *row = &again.items[i];
		struct file_place place;

		CHECK(row->file >= 1 && row->file <= LOG_FILE);
		CHECK(!i || row->time_ns >= row[-1].time_ns);
		if (row->op == ACCESS_FAULT)
			CHECK_EQ(row->offset % 4096, 0);
		place = file_layout_find(&layout, file_layout_address(&layout, row->file));
		beyond += row->offset + row->bytes > place.bytes;
		CHECK_EQ(row->hit_pages + row->miss_pages,
			 row->op == ACCESS_SYNC ? 0 : access_row_pages(row));
		/* The log is the only file that is written. */
		syncs_of_others += row->op == ACCESS_SYNC && i && place.bytes > 4u << 20;
	}
	CHECK_EQ(beyond, 0);
	CHECK_EQ(syncs_of_others, 0);
	free(again.items);
	profile__free(p);
	free(rows.items);
}

int main(void)
{
	RUN(addresses_are_places_in_files);
	RUN(small_appends_are_a_run_that_gets_as_far_as_they_do);
	RUN(the_same_few_bytes_again_are_no_run);
	RUN(operations_are_requests_and_back);
	RUN(what_is_generated_is_what_was_there);
	RUN(rows_of_a_generator_are_of_its_files);
	return TEST_RESULT;
}
