#include "workload/block_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_LINES 1024u
#define MAX_LINES   (1u << 30)

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

/*
 * A large table is hit at random: with small pages, finding the page takes as long as fetching
 * the line. The kernel may have no large ones; then nothing is lost.
 */
static struct block_line *zeroed(uint32_t lines)
{
	size_t bytes = lines * sizeof(struct block_line);
	struct block_line *table;

	if (bytes < 2 * HUGE_PAGE_BYTES)
		return calloc(1, bytes);
	bytes = (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
	table = aligned_alloc(HUGE_PAGE_BYTES, bytes);
	if (!table)
		return NULL;
	madvise(table, bytes, MADV_HUGEPAGE);
	return memset(table, 0, bytes);
}

static int allocate(struct block_map *m, uint32_t lines)
{
	m->lines = zeroed(lines);
	if (!m->lines)
		return -ENOMEM;
	m->mask = lines - 1;
	m->used = 0;
	return 0;
}

int block_map_init(struct block_map *m)
{
	return allocate(m, FIRST_LINES);
}

void block_map_release(struct block_map *m)
{
	free(m->lines);
	m->lines = NULL;
}

void block_map_clear(struct block_map *m)
{
	memset(m->lines, 0, (m->mask + 1ull) * sizeof(*m->lines));
	m->used = 0;
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
		if (old.lines[i].key)
			m->lines[block_map_find(m, old.lines[i].key)] = old.lines[i];
	m->used = old.used;
	block_map_release(&old);
	return 0;
}

uint32_t *block_map_line(struct block_map *m, uint64_t block)
{
	uint64_t key = block / BLOCK_MAP_NEIGHBOURS + 1;
	struct block_line *line = &m->lines[block_map_find(m, key)];

	if (line->key)
		return line->values;
	if (m->used >= m->mask / 8 * 5) {
		if (grow(m))
			return NULL;
		line = &m->lines[block_map_find(m, key)];
	}
	line->key = key;
	for (unsigned int i = 0; i < BLOCK_MAP_NEIGHBOURS; i++)
		line->values[i] = BLOCK_MAP_NONE;
	m->used++;
	return line->values;
}

int block_map_set(struct block_map *m, uint64_t block, uint32_t value)
{
	uint32_t *values = block_map_line(m, block);

	if (!values)
		return -ENOMEM;
	values[block % BLOCK_MAP_NEIGHBOURS] = value;
	return 0;
}

static bool is_empty(const struct block_line *line)
{
	for (unsigned int i = 0; i < BLOCK_MAP_NEIGHBOURS; i++)
		if (line->values[i] != BLOCK_MAP_NONE)
			return false;
	return true;
}

/* Closes the hole by moving back what probing would no longer find. */
void block_map_remove(struct block_map *m, uint64_t block)
{
	uint32_t hole = block_map_find(m, block / BLOCK_MAP_NEIGHBOURS + 1), at = hole;

	if (!m->lines[hole].key)
		return;
	m->lines[hole].values[block % BLOCK_MAP_NEIGHBOURS] = BLOCK_MAP_NONE;
	if (!is_empty(&m->lines[hole]))
		return;
	for (;;) {
		uint32_t home;

		at = (at + BLOCK_MAP_LANES) & m->mask;
		if (!m->lines[at].key)
			break;
		home = block_map_home(m, m->lines[at].key);
		if (((at - home) & m->mask) < ((at - hole) & m->mask))
			continue;
		m->lines[hole] = m->lines[at];
		hole = at;
	}
	m->lines[hole].key = 0;
	m->used--;
}
