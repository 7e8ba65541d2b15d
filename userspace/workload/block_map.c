#include "workload/block_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define FIRST_SLOTS 1024u
#define MAX_SLOTS   (1u << 31)

#define HUGE_PAGE_BYTES ((size_t)2 << 20)

/*
 * A large table is hit at random: with small pages, finding the page takes as long as fetching
 * the line. The kernel may have no large ones; then nothing is lost.
 */
static struct block_slot *zeroed(uint32_t slots)
{
	size_t bytes = slots * sizeof(struct block_slot);
	struct block_slot *table;

	if (bytes < 2 * HUGE_PAGE_BYTES)
		return calloc(1, bytes);
	table = aligned_alloc(HUGE_PAGE_BYTES, bytes);
	if (!table)
		return NULL;
	madvise(table, bytes, MADV_HUGEPAGE);
	return memset(table, 0, bytes);
}

static int allocate(struct block_map *m, uint32_t slots)
{
	m->slots = zeroed(slots);
	if (!m->slots)
		return -ENOMEM;
	m->mask = slots - 1;
	m->used = 0;
	return 0;
}

int block_map_init(struct block_map *m)
{
	return allocate(m, FIRST_SLOTS);
}

void block_map_release(struct block_map *m)
{
	free(m->slots);
	m->slots = NULL;
}

void block_map_clear(struct block_map *m)
{
	memset(m->slots, 0, (m->mask + 1ull) * sizeof(*m->slots));
	m->used = 0;
}

#define LANES 8u

/*
 * Eight neighbours share a cache line, because requests touch blocks one after the other. Each
 * has a lane of its own there, and probing stays in the lane: full lines do not clog the next.
 */
static uint32_t home_of(const struct block_map *m, uint64_t key)
{
	uint64_t hash = block_hash(key / LANES);

	return ((uint32_t)hash * LANES | ((uint32_t)(key ^ hash >> 40) % LANES)) & m->mask;
}

static uint32_t slot_of(const struct block_map *m, uint64_t key)
{
	uint32_t slot = home_of(m, key);

	while (m->slots[slot].key && m->slots[slot].key != key)
		slot = (slot + LANES) & m->mask;
	return slot;
}

void block_map_prefetch(const struct block_map *m, uint64_t block)
{
	__builtin_prefetch(&m->slots[home_of(m, block + 1)]);
}

bool block_map_get(const struct block_map *m, uint64_t block, uint32_t *value)
{
	uint32_t slot = slot_of(m, block + 1);

	if (!m->slots[slot].key)
		return false;
	*value = m->slots[slot].value;
	return true;
}

static int grow(struct block_map *m)
{
	struct block_map old = *m;
	int err;

	if (m->mask >= MAX_SLOTS - 1)
		return -ENOMEM;
	err = allocate(m, (m->mask + 1) * 2);
	if (err) {
		*m = old;
		return err;
	}
	for (uint32_t i = 0; i <= old.mask; i++) {
		uint32_t slot;

		if (!old.slots[i].key)
			continue;
		slot = slot_of(m, old.slots[i].key);
		m->slots[slot].key = old.slots[i].key;
		m->slots[slot].value = old.slots[i].value;
	}
	m->used = old.used;
	block_map_release(&old);
	return 0;
}

int block_map_set(struct block_map *m, uint64_t block, uint32_t value)
{
	bool found;
	uint32_t old;

	return block_map_swap(m, block, value, &found, &old);
}

int block_map_swap(struct block_map *m, uint64_t block, uint32_t value, bool *found, uint32_t *old)
{
	uint32_t slot = slot_of(m, block + 1);

	if (!m->slots[slot].key && m->used >= m->mask / 8 * 5) {
		int err = grow(m);

		if (err)
			return err;
		slot = slot_of(m, block + 1);
	}
	*found = m->slots[slot].key;
	if (*found) {
		*old = m->slots[slot].value;
	} else {
		m->slots[slot].key = block + 1;
		m->used++;
	}
	m->slots[slot].value = value;
	return 0;
}

/* Closes the hole by moving back what probing would no longer find. */
void block_map_remove(struct block_map *m, uint64_t block)
{
	uint32_t hole = slot_of(m, block + 1), at = hole;

	if (!m->slots[hole].key)
		return;
	for (;;) {
		uint32_t home;

		at = (at + LANES) & m->mask;
		if (!m->slots[at].key)
			break;
		home = home_of(m, m->slots[at].key);
		if (((at - home) & m->mask) < ((at - hole) & m->mask))
			continue;
		m->slots[hole].key = m->slots[at].key;
		m->slots[hole].value = m->slots[at].value;
		hole = at;
	}
	m->slots[hole].key = 0;
	m->used--;
}
