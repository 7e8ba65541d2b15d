#include "workload/block_map.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_SLOTS 1024u
#define MAX_SLOTS   (1u << 31)

static int allocate(struct block_map *m, uint32_t slots)
{
	m->keys = calloc(slots, sizeof(*m->keys));
	m->values = malloc(slots * sizeof(*m->values));
	if (!m->keys || !m->values) {
		block_map_release(m);
		return -ENOMEM;
	}
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
	free(m->keys);
	free(m->values);
	m->keys = NULL;
	m->values = NULL;
}

/* Eight neighbours share a cache line: requests touch blocks one after the other. */
static uint32_t home_of(const struct block_map *m, uint64_t key)
{
	return ((uint32_t)block_hash(key >> 3) << 3 | (uint32_t)(key & 7)) & m->mask;
}

static uint32_t slot_of(const struct block_map *m, uint64_t key)
{
	uint32_t slot = home_of(m, key);

	while (m->keys[slot] && m->keys[slot] != key)
		slot = (slot + 1) & m->mask;
	return slot;
}

bool block_map_get(const struct block_map *m, uint64_t block, uint32_t *value)
{
	uint32_t slot = slot_of(m, block + 1);

	if (!m->keys[slot])
		return false;
	*value = m->values[slot];
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

		if (!old.keys[i])
			continue;
		slot = slot_of(m, old.keys[i]);
		m->keys[slot] = old.keys[i];
		m->values[slot] = old.values[i];
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

	if (!m->keys[slot] && m->used >= m->mask / 2) {
		int err = grow(m);

		if (err)
			return err;
		slot = slot_of(m, block + 1);
	}
	*found = m->keys[slot];
	if (*found) {
		*old = m->values[slot];
	} else {
		m->keys[slot] = block + 1;
		m->used++;
	}
	m->values[slot] = value;
	return 0;
}

/* Closes the hole by moving back what probing would no longer find. */
void block_map_remove(struct block_map *m, uint64_t block)
{
	uint32_t hole = slot_of(m, block + 1), at = hole;

	if (!m->keys[hole])
		return;
	for (;;) {
		uint32_t home;

		at = (at + 1) & m->mask;
		if (!m->keys[at])
			break;
		home = home_of(m, m->keys[at]);
		if (((at - home) & m->mask) < ((at - hole) & m->mask))
			continue;
		m->keys[hole] = m->keys[at];
		m->values[hole] = m->values[at];
		hole = at;
	}
	m->keys[hole] = 0;
	m->used--;
}
