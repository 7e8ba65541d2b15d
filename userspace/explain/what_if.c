// SPDX-License-Identifier: MIT
#include "explain/what_if.h"

#include <string.h>

#include "workload/page_cache/cache_model.h"

#define ACCESS_ROWS_TIER	 "access_rows" /* there if accesses were recorded */
#define PAGE_BYTES		 4096u
#define DEFAULT_READ_AHEAD_PAGES 32u /* VM_READAHEAD_PAGES */

bool explain_has_accesses(const struct explanation *x)
{
	for (uint32_t i = 0; i < x->tier_count; i++)
		if (!strcmp(x->tiers[i].figure, ACCESS_ROWS_TIER))
			return strcmp(x->tiers[i].quality, "unavailable") != 0;
	return false;
}

static uint64_t window_of(const struct trace_device *device)
{
	return device->read_ahead_kb < 4 ? 1 : device->read_ahead_kb / 4;
}

/* A file system on a partition uses the readahead of its disk: known if all disks have the same. */
static uint64_t window_of_file(const struct trace_reader *whole, const struct trace_file *file)
{
	uint64_t common = 0;
	bool alike = true;

	for (uint32_t id = 1; id <= trace_reader__devices(whole); id++) {
		const struct trace_device *device = trace_reader__device(whole, id);

		if (!device)
			continue;
		if (file && device->major == file->major && device->minor == file->minor)
			return window_of(device);
		alike = alike && (!common || common == window_of(device));
		common = window_of(device);
	}
	return common && alike ? common : DEFAULT_READ_AHEAD_PAGES;
}

static int play(struct cache_model *m, const struct trace_reader *whole, struct trace_reader *rows)
{
	uint64_t window_pages = DEFAULT_READ_AHEAD_PAGES;
	struct row_block block;
	uint32_t file = 0;
	int err = 0;

	while (!err && trace_reader__next(rows, 1u << ROW_ACCESS, &block) > 0) {
		for (uint32_t i = 0; i < block.rows && !err; i++) {
			struct access_row row = block.access[i];

			row.file = trace_reader__first_id_of_file(whole, row.file);
			if (row.file != file) {
				file = row.file;
				window_pages =
					window_of_file(whole, trace_reader__file(whole, file));
			}
			err = cache_model__add(m, &row, window_pages);
		}
	}
	return err;
}

static void choose_present(struct explanation *x, uint64_t given_bytes)
{
	struct explain_what_if *w = &x->what_if;

	w->present_bytes = x->has_summary ? x->summary.page_cache_bytes : 0;
	w->free_bytes = w->present_bytes ? x->summary.page_cache_free_bytes : 0;
	w->present = !w->present_bytes		       ? PRESENT_CACHE_UNKNOWN
		     : x->summary.page_cache_of_cgroup ? PRESENT_CACHE_CGROUP
						       : PRESENT_CACHE_MACHINE;
	w->present_bytes += w->free_bytes;
	if (!given_bytes)
		return;
	w->present_bytes = given_bytes;
	w->free_bytes = 0;
	w->present = PRESENT_CACHE_GIVEN;
}

int explain_what_if(struct explanation *x, const struct trace_reader *whole,
		    struct trace_reader *rows, uint64_t present_bytes)
{
	struct explain_what_if *w = &x->what_if;
	uint64_t pages[CACHE_MODEL_SIZES];
	struct cache_model *m;
	int err;

	choose_present(x, present_bytes);
	w->recorded = true;
	if (w->present == PRESENT_CACHE_UNKNOWN)
		return 0;
	for (unsigned int i = 0; i < CACHE_MODEL_SIZES; i++) {
		w->size_bytes[i] = w->present_bytes / 2 << i;
		pages[i] = w->size_bytes[i] / PAGE_BYTES;
	}
	err = cache_model__create(pages, CACHE_MODEL_PAGES_MAX, &m);
	if (err)
		return err;
	err = play(m, whole, rows);
	cache_model__result(m, &w->result);
	cache_model__free(m);
	return err;
}

double explain_hit_pct(const struct cache_model_counts *counts)
{
	if (!counts->read_pages || counts->missed_pages > counts->read_pages)
		return 0;
	return 100.0 * (double)(counts->read_pages - counts->missed_pages) /
	       (double)counts->read_pages;
}
