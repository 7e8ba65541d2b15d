// SPDX-License-Identifier: MIT
/* What the model of the page cache gets: sizes, files, and the readahead window of the file's disk. */
#include "explain/what_if.h"

#include "unit/trace/made.h"
#include "workload/page_cache/cache_model.h"

#define PAGES	      4096u /* of the cache */
#define READ_PAGES    200u
#define DEFAULT_PAGES 32u

struct disk {
	uint32_t major, minor, read_ahead_kb;
};

/* Pages of a file, read one after the other. */
static void each_read(uint32_t file, void (*add)(void *context, const struct access_row *row),
		      void *context)
{
	for (uint64_t page = 0; page < READ_PAGES; page++) {
		struct access_row row = {.time_ns = 100 + page,
					 .offset = page * 4096,
					 .bytes = 4096,
					 .file = file,
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
	each_read(1, append, made.w);
	end(&made, 1000);
}

/* Fills x->what_if from the trace that was made. */
static void estimate(struct explanation *x, uint64_t present_bytes)
{
	struct trace_reader *whole, *rows;
	struct row_block block;

	if (trace_reader__open(paths[0], &whole, NULL) || trace_reader__open(paths[0], &rows, NULL))
		exit(EXIT_FAILURE);
	while (trace_reader__next(whole, ALL_KINDS, &block) > 0)
		;
	CHECK_EQ(explain_what_if(x, whole, rows, present_bytes), 0);
	CHECK(x->what_if.recorded);
	trace_reader__free(whole);
	trace_reader__free(rows);
}

static struct cache_model_counts estimated(const struct disk *disks, unsigned int count,
					   uint32_t minor)
{
	struct explanation x = {0};

	make_trace(disks, count, minor);
	estimate(&x, PAGES * 4096);
	CHECK_EQ(x.what_if.result.recorded.read_pages, READ_PAGES);
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
	each_read(1, play, &model);
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

static void a_renamed_file_is_the_same_file(void)
{
	struct trace_file file = {.id = 1, .major = 8, .inode = 7, .generation = 3, .path = "/f"};
	struct made made = begin(0, "host", 0, 0);
	struct explanation x = {0};

	add_task(&made, 1, "cat", 9, 9);
	CHECK_EQ(trace_writer__add_file(made.w, &file), 0);
	each_read(1, append, made.w);
	file.id = 2;
	file.path = "/renamed";
	CHECK_EQ(trace_writer__add_file(made.w, &file), 0);
	each_read(2, append, made.w);
	end(&made, 1000);
	estimate(&x, PAGES * 4096);
	CHECK_EQ(x.what_if.result.recorded.read_pages, 2 * READ_PAGES);
	CHECK_EQ(x.what_if.result.distinct_pages, READ_PAGES);
}

static void the_present_size_is_that_of_the_cgroup_of_the_machine_or_of_the_user(void)
{
	struct explanation x = {.has_summary = true};

	make_trace(NULL, 0, 0);
	x.summary.page_cache_bytes = 3 << 20;
	x.summary.page_cache_free_bytes = 1 << 20;
	estimate(&x, 0);
	CHECK_EQ(x.what_if.present, PRESENT_CACHE_MACHINE);
	CHECK_EQ(x.what_if.present_bytes, 4 << 20);
	CHECK_EQ(x.what_if.free_bytes, 1 << 20);
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++)
		CHECK_EQ(x.what_if.size_bytes[i], (2u << 20) << i);
	x.summary.page_cache_of_cgroup = true;
	estimate(&x, 0);
	CHECK_EQ(x.what_if.present, PRESENT_CACHE_CGROUP);
	estimate(&x, 1 << 20);
	CHECK_EQ(x.what_if.present, PRESENT_CACHE_GIVEN);
	CHECK_EQ(x.what_if.present_bytes, 1 << 20);
	CHECK_EQ(x.what_if.free_bytes, 0);
}

static void nothing_is_estimated_where_the_present_size_is_not_known(void)
{
	struct explanation x = {.summary = {.page_cache_bytes = 1 << 20}};

	make_trace(NULL, 0, 0);
	estimate(&x, 0);
	CHECK_EQ(x.what_if.present, PRESENT_CACHE_UNKNOWN);
	CHECK_EQ(x.what_if.result.recorded.read_pages, 0);
	x.has_summary = true;
	x.summary.page_cache_bytes = 0;
	x.summary.page_cache_free_bytes = 1 << 20;
	estimate(&x, 0);
	CHECK_EQ(x.what_if.present, PRESENT_CACHE_UNKNOWN);
	CHECK_EQ(x.what_if.free_bytes, 0);
}

static void accesses_are_there_if_the_trace_says_so(void)
{
	struct explain_tier tiers[] = {
		{.figure = "block", .quality = "unavailable"},
		{.figure = "access_rows", .quality = "unavailable"},
	};
	struct explanation x = {.tiers = tiers, .tier_count = 2};

	CHECK(!explain_has_accesses(&x));
	tiers[1].quality = "exact";
	CHECK(explain_has_accesses(&x));
	x.tier_count = 1;
	CHECK(!explain_has_accesses(&x));
	tiers[0].quality = "exact";
	CHECK(!explain_has_accesses(&x));
}

static void hits_are_a_share_of_what_was_read(void)
{
	CHECK_EQ((int)explain_hit_pct(
			 &(struct cache_model_counts){.read_pages = 8, .missed_pages = 2}),
		 75);
	CHECK_EQ((int)explain_hit_pct(&(struct cache_model_counts){0}), 0);
	CHECK_EQ((int)explain_hit_pct(
			 &(struct cache_model_counts){.read_pages = 2, .missed_pages = 4}),
		 0);
}

int main(void)
{
	make_folder();
	RUN(a_renamed_file_is_the_same_file);
	RUN(the_present_size_is_that_of_the_cgroup_of_the_machine_or_of_the_user);
	RUN(nothing_is_estimated_where_the_present_size_is_not_known);
	RUN(accesses_are_there_if_the_trace_says_so);
	RUN(hits_are_a_share_of_what_was_read);
	RUN(the_model_tells_windows_apart);
	RUN(a_file_has_the_window_of_its_disk);
	RUN(a_partition_has_the_window_that_all_disks_have);
	RUN(where_disks_differ_or_are_unknown_the_kernels_default_holds);
	remove_folder();
	return TEST_RESULT;
}
