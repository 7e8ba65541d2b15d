// SPDX-License-Identifier: MIT
/* Which readahead window the model of the page cache gets: that of the file's disk, where it is known. */
#include "explain/what_if.h"

#include "unit/trace/made.h"
#include "workload/page_cache/cache_model.h"

#define PAGES	      4096u /* of the cache */
#define READ_PAGES    200u
#define DEFAULT_PAGES 32u

struct disk {
	uint32_t major, minor, read_ahead_kb;
};

/* Read one after the other. */
static void each_read(void (*add)(void *context, const struct access_row *row), void *context)
{
	for (uint64_t page = 0; page < READ_PAGES; page++) {
		struct access_row row = {.time_ns = 100 + page,
					 .offset = page * 4096,
					 .bytes = 4096,
					 .file = 1,
					 .task = 1,
					 .miss_pages = page == 0,
					 /* The file is as long as that. */
					 .readahead_pages = page == 0 ? 511 : 0,
					 .hit_pages = page != 0,
					 .op = ACCESS_READ};

		add(context, &row);
	}
}

static void append(void *context, const struct access_row *row)
{
	CHECK_EQ(trace_writer__append_access(context, row), 0);
}

/* A trace of a file on the device 8:`minor`. */
static void make_trace(const struct disk *disks, unsigned int count, uint32_t minor)
{
	struct made made = begin(0, "host", 0, 0);
	struct trace_file file = {.id = 1, .major = 8, .minor = minor, .inode = 7, .path = "/f"};

	for (unsigned int i = 0; i < count; i++) {
		struct trace_device device = {.id = i + 1,
					      .major = disks[i].major,
					      .minor = disks[i].minor,
					      .read_ahead_kb = disks[i].read_ahead_kb};

		snprintf(device.name, sizeof(device.name), "sd%c", 'a' + (int)i);
		CHECK_EQ(trace_writer__add_device(made.w, &device), 0);
	}
	add_task(&made, 1, "cat", 9, 9);
	CHECK_EQ(trace_writer__add_file(made.w, &file), 0);
	each_read(append, made.w);
	end(&made, 1000);
}

static struct cache_model_counts estimated(const struct disk *disks, unsigned int count,
					   uint32_t minor)
{
	struct trace_reader *whole, *rows;
	struct explanation x = {0};
	struct row_block block;

	make_trace(disks, count, minor);
	if (trace_reader__open(paths[0], &whole, NULL) || trace_reader__open(paths[0], &rows, NULL))
		exit(EXIT_FAILURE);
	while (trace_reader__next(whole, ALL_KINDS, &block) > 0)
		;
	CHECK_EQ(explain_what_if(&x, whole, rows, PAGES * 4096), 0);
	CHECK_EQ(x.what_if.present, PRESENT_CACHE_GIVEN);
	CHECK_EQ(x.what_if.result.recorded.read_pages, READ_PAGES);
	trace_reader__free(whole);
	trace_reader__free(rows);
	return x.what_if.result.sizes[CACHE_MODEL_PRESENT];
}

struct model {
	struct cache_model *m;
	uint64_t window_pages;
};

static void play(void *context, const struct access_row *row)
{
	struct model *model = context;

	CHECK_EQ(cache_model__add(model->m, row, model->window_pages), 0);
}

/* What a model says that gets this window. */
static struct cache_model_counts with_window(uint64_t window_pages)
{
	static const uint64_t sizes[CACHE_MODEL_SIZES] = {PAGES / 2, PAGES, 2 * PAGES, 4 * PAGES};
	struct model model = {.window_pages = window_pages};
	struct cache_model_result result;

	if (cache_model__create(sizes, CACHE_MODEL_PAGES_MAX, &model.m))
		exit(EXIT_FAILURE);
	each_read(play, &model);
	cache_model__result(model.m, &result);
	cache_model__free(model.m);
	return result.sizes[CACHE_MODEL_PRESENT];
}

static bool are_equal(struct cache_model_counts a, struct cache_model_counts b)
{
	return a.read_pages == b.read_pages && a.missed_pages == b.missed_pages &&
	       a.readahead_pages == b.readahead_pages;
}

static void the_model_tells_windows_apart(void)
{
	static const uint64_t windows[] = {1, 16, DEFAULT_PAGES, 256};

	for (unsigned int a = 0; a < 4; a++)
		for (unsigned int b = 0; b < a; b++)
			CHECK(!are_equal(with_window(windows[a]), with_window(windows[b])));
}

static void a_file_has_the_window_of_its_disk(void)
{
	static const struct disk disks[] = {{8, 0, 64}, {8, 16, 1024}, {8, 32, 0}};

	CHECK(are_equal(estimated(disks, 3, 0), with_window(16)));
	CHECK(are_equal(estimated(disks, 3, 16), with_window(256)));
	CHECK(are_equal(estimated(disks, 3, 32), with_window(1)));
}

static void a_partition_has_the_window_that_all_disks_have(void)
{
	static const struct disk disks[] = {{8, 0, 1024}, {8, 16, 1024}};

	CHECK(are_equal(estimated(disks, 2, 17), with_window(256)));
}

static void where_disks_differ_or_are_unknown_the_kernels_default_holds(void)
{
	static const struct disk disks[] = {{8, 0, 64}, {8, 16, 1024}};

	CHECK(are_equal(estimated(disks, 2, 17), with_window(DEFAULT_PAGES)));
	CHECK(are_equal(estimated(NULL, 0, 17), with_window(DEFAULT_PAGES)));
}

int main(void)
{
	make_folder();
	RUN(the_model_tells_windows_apart);
	RUN(a_file_has_the_window_of_its_disk);
	RUN(a_partition_has_the_window_that_all_disks_have);
	RUN(where_disks_differ_or_are_unknown_the_kernels_default_holds);
	remove_folder();
	return TEST_RESULT;
}
