/*
 * A map of 4 KiB block numbers to 32-bit values: open addressing, 16 bytes an entry, because a
 * footprint of millions of blocks is kept (a chained table needs six times that).
 */
#ifndef BLKREEL_WORKLOAD_BLOCK_MAP_H
#define BLKREEL_WORKLOAD_BLOCK_MAP_H

#include <stdbool.h>
#include <stdint.h>

struct block_map {
	struct block_slot {
		uint64_t key; /* block + 1; 0: free */
		uint32_t value;
	} * slots;
	uint32_t used;
	uint32_t mask;
};

int block_map_init(struct block_map *m); /* 0 or -ENOMEM */
void block_map_release(struct block_map *m);
/* Begins to fetch what the next call for this block needs. */
void block_map_prefetch(const struct block_map *m, uint64_t block);
bool block_map_get(const struct block_map *m, uint64_t block, uint32_t *value);
int block_map_set(struct block_map *m, uint64_t block, uint32_t value); /* 0 or -ENOMEM */

/* Sets and tells what was there: *old only when *found. 0 or -ENOMEM. */
int block_map_swap(struct block_map *m, uint64_t block, uint32_t value, bool *found, uint32_t *old);

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

#endif
