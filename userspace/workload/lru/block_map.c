// SPDX-License-Identifier: MIT
#include "workload/lru/block_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_LINES 1024u
#define MAX_LINES   (1u << 30)

#define CACHE_LINE_BYTES 64
#define HUGE_PAGE_BYTES	 ((size_t)2 << 20)

/*
 * Accesses to a large table are random: with small pages, a TLB miss costs as much as the cache
 * miss. If the kernel has no huge pages, nothing is lost.
 */
static void *table_of(size_t bytes)
{
	void *table;

	if (bytes < 2 * HUGE_PAGE_BYTES)
		return aligned_alloc(CACHE_LINE_BYTES, bytes);
	bytes = (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
	table = aligned_alloc(HUGE_PAGE_BYTES, bytes);
	if (table)
		madvise(table, bytes, MADV_HUGEPAGE);
	return table;
}

static int allocate(struct block_map *m, uint32_t lines)
{
	m->keys = table_of(lines * sizeof(*m->keys));
	m->values = table_of(lines * sizeof(*m->values));
	m->mask = lines - 1;
	if (!m->keys || !m->values) {
		block_map_release(m);
		return -ENOMEM;
	}
	block_map_clear(m);
	return 0;
}

int block_map_init(struct block_map *m)
{
	return allocate(m, FIRST_LINES);
}

void block_map_release(struct block_map *m)
{
	free(m->keys);
	free(m->values);
	m->keys = NULL;
	m->values = NULL;
}

void block_map_clear(struct block_map *m)
{
	memset(m->keys, 0, (m->mask + 1ull) * sizeof(*m->keys));
	m->used = 0;
}

static void copy_entry(struct block_map *m, uint32_t to, const struct block_map *from, uint32_t at)
{
	m->keys[to] = from->keys[at];
	memcpy(m->values[to], from->values[at], sizeof(m->values[to]));
}

static int grow(struct block_map *m)
{
	struct block_map old = *m;
	int err;

	if (m->mask >= MAX_LINES - 1)
		return -ENOMEM;
	err = allocate(m, (m->mask + 1) * 2);
	if (err) {
		*m = old;
		return err;
	}
	for (uint32_t i = 0; i <= old.mask; i++)
		if (old.keys[i])
			copy_entry(m, block_map_find(m, old.keys[i]), &old, i);
	m->used = old.used;
	block_map_release(&old);
	return 0;
}

uint32_t *block_map_line(struct block_map *m, uint64_t block)
{
	uint64_t key = block / BLOCK_MAP_NEIGHBOURS + 1;
	uint32_t at = block_map_find(m, key);

	if (m->keys[at])
		return m->values[at];
	if (m->used >= m->mask / 8 * 3) {
		if (grow(m))
			return NULL;
		at = block_map_find(m, key);
	}
	m->keys[at] = key;
	for (unsigned int i = 0; i < BLOCK_MAP_NEIGHBOURS; i++)
		m->values[at][i] = BLOCK_MAP_NONE;
	m->used++;
	return m->values[at];
}

int block_map_set(struct block_map *m, uint64_t block, uint32_t value)
{
	uint32_t *values = block_map_line(m, block);

	if (!values)
		return -ENOMEM;
	values[block % BLOCK_MAP_NEIGHBOURS] = value;
	return 0;
}

static bool is_empty(const uint32_t values[BLOCK_MAP_NEIGHBOURS])
{
	for (unsigned int i = 0; i < BLOCK_MAP_NEIGHBOURS; i++)
		if (values[i] != BLOCK_MAP_NONE)
			return false;
	return true;
}

/* Moves later entries back into the hole if probing would otherwise miss them. */
void block_map_remove(struct block_map *m, uint64_t block)
{
	uint32_t hole = block_map_find(m, block / BLOCK_MAP_NEIGHBOURS + 1), at = hole;

	if (!m->keys[hole])
		return;
	m->values[hole][block % BLOCK_MAP_NEIGHBOURS] = BLOCK_MAP_NONE;
	if (!is_empty(m->values[hole]))
		return;
	for (;;) {
		uint32_t home;

		at = (at + BLOCK_MAP_STRIDE) & m->mask;
		if (!m->keys[at])
			break;
		home = block_map_home(m, m->keys[at]);
		if (((at - home) & m->mask) < ((at - hole) & m->mask))
			continue;
		copy_entry(m, hole, m, at);
		hole = at;
	}
	m->keys[hole] = 0;
	m->used--;
}
