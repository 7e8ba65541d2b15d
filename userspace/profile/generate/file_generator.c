// SPDX-License-Identifier: MIT
#include "profile/generate/file_generator.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "profile/file_layout.h"
#include "profile/file_ops.h"
#include "profile/file_runs.h"
#include "profile/generate/generator.h"

/*
 * Pages whose first touch is followed: 64 MiB of bits. Of a larger space hits and misses are not
 * said.
 */
#define PAGES_MAX     (1ull << 29)
#define ROW_PAGES_MAX (1ull << 19)
#define DIRECT_ALIGN  512u
#define PERMILLE      1000u

struct file_generator {
	const struct profile *p;
	struct profile_generator *requests;
	struct file_layout layout;
	struct file_runs runs[PROFILE_SPACES_MAX][2]; /* of reads, of writes */
	uint64_t *touched;			      /* a bit for each page; NULL: not followed */
	uint32_t ahead[2]; /* what is left of a whole operation that reads ahead; permille */
	uint32_t written_file, written_task; /* by the last write */
};

void file_generator__free(struct file_generator *g)
{
	if (!g)
		return;
	profile_generator__free(g->requests);
	free(g->touched);
	free(g);
}

int file_generator__create(const struct profile *p, uint64_t seed, struct file_generator **g)
{
	struct file_generator *created = calloc(1, sizeof(*created));
	uint64_t pages;
	int err;

	if (!created)
		return -ENOMEM;
	created->p = p;
	created->written_file = 1;
	created->written_task = 1;
	err = p->ios ? file_layout_init(&created->layout, &p->files) : 0;
	pages = created->layout.total_bytes / PAGE_BYTES;
	if (!err && pages <= PAGES_MAX) {
		created->touched = calloc(pages / 64 + 1, sizeof(*created->touched));
		err = created->touched ? 0 : -ENOMEM;
	}
	if (!err)
		err = profile_generator__create(p, seed, &created->requests);
	if (err) {
		file_generator__free(created);
		return err;
	}
	*g = created;
	return 0;
}

void file_generator__repeat(struct file_generator *g, uint64_t duration_ns)
{
	profile_generator__repeat(g->requests, duration_ns);
}

uint32_t file_generator__files(const struct file_generator *g)
{
	return (uint32_t)g->layout.total_files;
}

/* What a file is too short for begins earlier. */
static void put_into_file(const struct file_place *place, struct access_row *row, uint64_t address)
{
	uint64_t offset = address - place->address;

	if (row->bytes > place->bytes)
		offset = 0;
	else if (offset > place->bytes - row->bytes)
		offset = place->bytes - row->bytes;
	if (row->op == ACCESS_FAULT)
		offset -= offset % PAGE_BYTES;
	else if (file_op_is_direct(row->op))
		offset -= offset % (row->bytes % PAGE_BYTES ? DIRECT_ALIGN : PAGE_BYTES);
	row->offset = offset;
}

/* Notes that the pages from `first` on are there; how many were not. */
static uint64_t touch(struct file_generator *g, uint64_t first, uint64_t count)
{
	uint64_t pages = g->layout.total_bytes / PAGE_BYTES, missed = 0;

	for (uint64_t page = first; page < first + count && page < pages; page++) {
		uint64_t bit = 1ull << (page % 64), *word = &g->touched[page / 64];

		missed += !(*word & bit);
		*word |= bit;
	}
	return missed;
}

/* The operation missed: whether it reads ahead, so that in the long run as many do as should. */
static uint64_t ahead_pages(struct file_generator *g, bool is_sequential)
{
	unsigned int kind = is_sequential ? 0 : 1;

	g->ahead[kind] += g->p->files.ahead[kind].permille;
	if (g->ahead[kind] < PERMILLE)
		return 0;
	g->ahead[kind] -= PERMILLE;
	return g->p->files.ahead[kind].pages;
}

static void fill_pages(struct file_generator *g, const struct file_place *place,
		       struct access_row *row, bool is_sequential)
{
	uint64_t pages = access_row_pages(row), end, ahead;
	uint64_t first = (place->address + row->offset) / PAGE_BYTES;

	if (!access_row_is_cached(row) || !g->touched || pages > ROW_PAGES_MAX)
		return;
	row->miss_pages = touch(g, first, pages);
	row->hit_pages = pages - row->miss_pages;
	if (!row->miss_pages || row->op == ACCESS_WRITE)
		return;
	end = (place->address + place->bytes) / PAGE_BYTES;
	ahead = ahead_pages(g, is_sequential);
	if (first + pages >= end)
		return;
	row->readahead_pages =
		touch(g, first + pages, ahead < end - first - pages ? ahead : end - first - pages);
}

static void place_in_file(struct file_generator *g, const struct io_row *request,
			  struct access_row *row)
{
	uint32_t space = g->p->streams[request->task - 1].space;
	struct file_runs *runs = &g->runs[space][request->op == IO_OP_WRITE];
	const struct file_run *run = file_runs_find(runs, request->sector);
	uint64_t address = run ? run->end : request->sector * SECTOR_BYTES;
	bool continues = run;
	struct file_place place = file_layout_find(&g->layout, address);

	if (row->bytes > place.bytes) {
		place = file_layout_larger(&g->layout, address, row->bytes);
		address = place.address;
	}
	put_into_file(&place, row, address);
	row->file = place.file;
	/* Readahead is of whoever goes on. */
	if (run)
		row->task = run->owner;
	file_runs_follow(runs, request->sector, place.address + row->offset, row->bytes, row->task);
	fill_pages(g, &place, row, continues || !row->offset);
	if (request->op != IO_OP_WRITE)
		return;
	g->written_file = row->file;
	g->written_task = row->task;
}

int file_generator__next(struct file_generator *g, struct access_row *row)
{
	struct io_row request;
	int got = profile_generator__next(g->requests, &request);

	if (got <= 0)
		return got;
	*row = (struct access_row){
		.time_ns = request.created_ns,
		.bytes = request.bytes,
		.task = request.task,
		.flags = file_op_flags(request.op, request.flags),
		.op = (uint8_t)file_op_of_io(request.op, request.flags),
	};
	if (row->op != ACCESS_SYNC) {
		place_in_file(g, &request, row);
		return 1;
	}
	/* What is synced is mostly what was written. */
	row->bytes = 0;
	row->file = g->written_file;
	row->task = g->written_task;
	return 1;
}
