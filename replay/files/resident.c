// SPDX-License-Identifier: MIT
#include "replay/files/resident.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"

#define WORD_PAGES 64u
#define PAGES_MAX  (1ull << 30) /* of all files: 4 TiB, and two maps of 128 MiB */

/* The pages of one file while its operations are followed. `seen`: the recording brought it. */
struct pages {
	uint64_t *resident, *seen;
	uint64_t count;
};

struct range {
	uint64_t first, end;
};

static uint64_t page_count(const struct file_need *need)
{
	return need->initial_bytes / PAGE_BYTES + (need->initial_bytes % PAGE_BYTES > 0);
}

static bool is_set(const uint64_t *map, uint64_t page)
{
	return map[page / WORD_PAGES] >> page % WORD_PAGES & 1;
}

static void set(uint64_t *map, uint64_t page)
{
	map[page / WORD_PAGES] |= 1ull << page % WORD_PAGES;
}

static struct range range_of(const struct pages *p, uint64_t offset, uint64_t bytes)
{
	struct range range = {.first = offset / PAGE_BYTES};

	range.end = bytes ? (offset + bytes - 1) / PAGE_BYTES + 1 : range.first;
	if (range.end > p->count)
		range.end = p->count;
	if (range.first > range.end)
		range.first = range.end;
	return range;
}

/* Marks up to `most` unseen pages as seen. How many there were. */
static uint64_t see(const struct pages *p, struct range range, uint64_t most)
{
	uint64_t found = 0;

	for (uint64_t page = range.first; page < range.end && found < most; page++) {
		if (p->seen[page / WORD_PAGES] == UINT64_MAX) {
			page |= WORD_PAGES - 1;
			continue;
		}
		found += !is_set(p->seen, page);
		set(p->seen, page);
	}
	return found;
}

static uint64_t unseen(const struct pages *p, struct range range)
{
	uint64_t count = 0;

	for (uint64_t page = range.first; page < range.end; page++) {
		if (p->seen[page / WORD_PAGES] == UINT64_MAX)
			page |= WORD_PAGES - 1;
		else
			count += !is_set(p->seen, page);
	}
	return count;
}

/* Readahead is behind the range; that of a fault lies around it. */
static void see_readahead(const struct pages *p, const struct file_op *op, struct range range,
			  uint64_t readahead_pages)
{
	struct range around = {.first = range.end, .end = p->count};
	uint64_t before = (readahead_pages + range.end - range.first) / 2;

	if (op->op == ACCESS_FAULT)
		around.first = range.first > before ? range.first - before : 0;
	see(p, around, readahead_pages);
}

/*
 * Derives which unseen pages were in the cache. Where an operation had hits and misses, it is not
 * known which pages.
 */
static void touch(struct file_script *s, const struct pages *p, const struct file_op *op,
		  const struct file_touch *t)
{
	struct range range = range_of(p, op->offset, op->bytes);
	uint64_t all =
		op->bytes ? (op->offset + op->bytes - 1) / PAGE_BYTES + 1 - op->offset / PAGE_BYTES
			  : 0;
	uint64_t behind = all - (range.end - range.first);
	uint64_t misses = t->miss_pages > behind ? t->miss_pages - behind : 0;
	uint64_t fresh = unseen(p, range), hits = fresh > misses ? fresh - misses : 0;

	s->resident_pages += hits;
	if (hits < fresh)
		s->resident_guessed_pages += hits;
	for (uint64_t page = range.first; page < range.end && hits; page++) {
		if (is_set(p->seen, page))
			continue;
		set(p->resident, page);
		hits--;
	}
	see(p, range, UINT64_MAX);
	see_readahead(p, op, range, t->readahead_pages);
}

static void follow(struct file_script *s, const struct pages *p, const struct file_op *op)
{
	const struct file_touch *t = &s->touches[op->number];
	uint64_t to_end = UINT64_MAX - op->offset;

	switch ((enum access_op)op->op) {
	case ACCESS_READ:
	case ACCESS_WRITE:
	case ACCESS_FAULT:
	case ACCESS_SPLICE:
		touch(s, p, op, t);
		break;
	case ACCESS_ADVICE:
		see(p, range_of(p, op->offset, op->bytes ? op->bytes : to_end), t->readahead_pages);
		break;
	case ACCESS_DIRECT_WRITE:
	case ACCESS_INVALIDATE:
		see(p, range_of(p, op->offset, op->bytes), UINT64_MAX);
		break;
	case ACCESS_TRUNCATE:
		see(p, range_of(p, op->offset, to_end), UINT64_MAX);
		break;
	case ACCESS_DIRECT_READ:
	case ACCESS_SYNC:
	case ACCESS_OP_COUNT:
		break;
	}
}

static int make_maps(struct file_script *s, struct pages *files)
{
	uint64_t pages = 0;

	for (uint32_t id = 0; id < s->file_ids; id++) {
		files[id].count = s->files[id].used ? page_count(&s->files[id]) : 0;
		if (files[id].count > PAGES_MAX - pages)
			return -E2BIG;
		pages += files[id].count;
	}
	for (uint32_t id = 0; id < s->file_ids; id++) {
		uint64_t words = files[id].count / WORD_PAGES + 1;

		if (!files[id].count)
			continue;
		files[id].seen = calloc(words, sizeof(uint64_t));
		files[id].resident = s->files[id].resident = calloc(words, sizeof(uint64_t));
		s->files[id].resident_end_page = files[id].resident ? files[id].count : 0;
		if (!files[id].seen || !files[id].resident)
			return -ENOMEM;
	}
	return 0;
}

int file_resident__find(struct file_script *s)
{
	struct pages *files = calloc(s->file_ids, sizeof(*files));
	int err = files ? make_maps(s, files) : -ENOMEM;

	for (uint64_t i = 0; i < s->count && !err; i++)
		follow(s, &files[s->ops[i].file], &s->ops[i]);
	for (uint32_t id = 0; id < s->file_ids && files; id++)
		free(files[id].seen);
	free(files);
	return err;
}

bool file_resident__next(const struct file_need *need, uint64_t *page, uint64_t *offset_bytes,
			 uint64_t *length_bytes)
{
	uint64_t count = need->resident_end_page, first;

	while (*page < count && !is_set(need->resident, *page))
		++*page;
	first = *page;
	while (*page < count && is_set(need->resident, *page))
		++*page;
	*offset_bytes = first * PAGE_BYTES;
	*length_bytes = (*page - first) * PAGE_BYTES;
	return *length_bytes > 0;
}
