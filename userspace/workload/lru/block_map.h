/* SPDX-License-Identifier: MIT */
/*
 * A map of 4 KiB block numbers to 32-bit values, because a footprint of millions of blocks is kept: open addressing,
 * four neighbours an entry of 24 bytes, since requests touch blocks one after the other.
 */
#ifndef BLKREEL_WORKLOAD_LRU_BLOCK_MAP_H
#define BLKREEL_WORKLOAD_LRU_BLOCK_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define BLOCK_MAP_NONE	     UINT32_MAX /* the value of a block that is not there */
#define BLOCK_MAP_NEIGHBOURS 4u

/* Keys are apart from values: most look-ups are of blocks that are not there, and read nothing but keys. */
struct block_map {
	uint64_t *keys;				  /* block / BLOCK_MAP_NEIGHBOURS + 1; 0: free */
	uint32_t (*values)[BLOCK_MAP_NEIGHBOURS]; /* of keys that are not free */
	uint32_t used;
	uint32_t mask;
};

int block_map_init(struct block_map *m); /* 0 or -ENOMEM */
void block_map_release(struct block_map *m);
int block_map_set(struct block_map *m, uint64_t block, uint32_t value); /* 0 or -ENOMEM */

/*
 * The values of the block and its neighbours, by block % BLOCK_MAP_NEIGHBOURS, to be read and changed until the next
 * call; where there was none, it is made of BLOCK_MAP_NONE, and at least the block's has to be set. NULL: no memory.
 */
uint32_t *block_map_line(struct block_map *m, uint64_t block);

void block_map_clear(struct block_map *m); /* its room stays */
void block_map_remove(struct block_map *m, uint64_t block);

/* A well mixed 64-bit number out of another; also decides which blocks a sample holds. */
static inline uint64_t block_hash(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

#define BLOCK_MAP_LANES 8u

/*
 * Two neighbouring entries are next to each other in memory, of blocks that are aligned as requests are. Each has a
 * lane of its own there, and probing stays in the lane: full places do not clog the next.
 */
static inline uint32_t block_map_home(const struct block_map *m, uint64_t key)
{
	uint64_t hash = block_hash(--key / BLOCK_MAP_LANES);

	return ((uint32_t)hash * BLOCK_MAP_LANES |
		((uint32_t)(key ^ hash >> 40) % BLOCK_MAP_LANES)) &
	       m->mask;
}

/* Where the entry of the block is, or would be. */
static inline uint32_t block_map_find(const struct block_map *m, uint64_t key)
{
	uint32_t at = block_map_home(m, key);

	while (m->keys[at] && m->keys[at] != key)
		at = (at + BLOCK_MAP_LANES) & m->mask;
	return at;
}

static inline bool block_map_get(const struct block_map *m, uint64_t block, uint32_t *value)
{
	uint32_t at = block_map_find(m, block / BLOCK_MAP_NEIGHBOURS + 1);

	if (!m->keys[at] || m->values[at][block % BLOCK_MAP_NEIGHBOURS] == BLOCK_MAP_NONE)
		return false;
	*value = m->values[at][block % BLOCK_MAP_NEIGHBOURS];
	return true;
}

/* Blocks, aligned as their number, whose entries are in one cache line of keys and one of values. */
#define BLOCK_MAP_ADJACENT 16u

/* Begins to fetch what the next call for this block, or one adjacent, needs. */
static inline void block_map_prefetch(const struct block_map *m, uint64_t block)
{
	uint32_t home = block_map_home(m, block / BLOCK_MAP_NEIGHBOURS + 1);

	__builtin_prefetch(&m->keys[home]);
	__builtin_prefetch(m->values[home]);
}

#endif
