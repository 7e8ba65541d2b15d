/* SPDX-License-Identifier: MIT */
/*
 * A map from 4 KiB block numbers to 32-bit values for footprints of millions of blocks: open
 * addressing; an entry of 24 bytes holds four neighbouring blocks, because requests touch blocks in
 * sequence.
 */
#ifndef BLKREEL_WORKLOAD_LRU_BLOCK_MAP_H
#define BLKREEL_WORKLOAD_LRU_BLOCK_MAP_H

#include <stdbool.h>
#include <stdint.h>

#define BLOCK_MAP_NONE	     UINT32_MAX /* the value of a block that is not in the map */
#define BLOCK_MAP_NEIGHBOURS 4u

/* Keys and values are separate arrays: most look-ups miss and read only keys. */
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
 * The values of the block and its neighbours, by block % BLOCK_MAP_NEIGHBOURS, to be read and
 * changed until the next call. A new entry is filled with BLOCK_MAP_NONE; the caller must then set
 * the block's value. NULL: no memory.
 */
uint32_t *block_map_line(struct block_map *m, uint64_t block);

void block_map_clear(struct block_map *m); /* keeps its memory */
void block_map_remove(struct block_map *m, uint64_t block);

/* A 64-bit hash; also decides which blocks a sample holds. */
static inline uint64_t block_hash(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ull;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

#define BLOCK_MAP_STRIDE 8u

/*
 * Entries of adjacent blocks lie in one group of BLOCK_MAP_STRIDE entries. Probing advances by the
 * stride, so that full entries do not block their neighbours.
 */
static inline uint32_t block_map_home(const struct block_map *m, uint64_t key)
{
	uint64_t hash = block_hash(--key / BLOCK_MAP_STRIDE);

	return ((uint32_t)hash * BLOCK_MAP_STRIDE |
		((uint32_t)(key ^ hash >> 40) % BLOCK_MAP_STRIDE)) &
	       m->mask;
}

/* The index of the entry of a key, or of the free entry for it. */
static inline uint32_t block_map_find(const struct block_map *m, uint64_t key)
{
	uint32_t at = block_map_home(m, key);

	while (m->keys[at] && m->keys[at] != key)
		at = (at + BLOCK_MAP_STRIDE) & m->mask;
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

/* This many aligned blocks have their entries in one cache line of keys and one of values. */
#define BLOCK_MAP_ADJACENT 16u

/* Prefetches for the next call for this block, or for one adjacent. */
static inline void block_map_prefetch(const struct block_map *m, uint64_t block)
{
	uint32_t home = block_map_home(m, block / BLOCK_MAP_NEIGHBOURS + 1);

	__builtin_prefetch(&m->keys[home]);
	__builtin_prefetch(m->values[home]);
}

#endif
