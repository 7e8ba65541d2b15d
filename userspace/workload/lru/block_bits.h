/* SPDX-License-Identifier: MIT */
/*
 * A bitmap of the blocks of a range. In a small address space that is nearly full, most searches
 * for a free place find none, and each would otherwise load memory of a hash map.
 */
#ifndef BLKREEL_WORKLOAD_LRU_BLOCK_BITS_H
#define BLKREEL_WORKLOAD_LRU_BLOCK_BITS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * In blocks (1 MiB of bits), which fits into a cache near the core. A larger bitmap would cost as
 * much as the map.
 */
#define BLOCK_BITS_MAX (1u << 23)

/* Zero-filled has no range. */
struct block_bits {
	uint64_t first, count;
	uint64_t *words; /* by 64 blocks */
};

int block_bits_init(struct block_bits *b, uint64_t first, uint64_t count); /* 0 or -ENOMEM */
void block_bits_release(struct block_bits *b);

/* Whether all of `count` blocks from `first` on are in the range. */
static inline bool block_bits_cover(const struct block_bits *b, uint64_t first, uint64_t count)
{
	return first >= b->first && count <= b->count && first - b->first <= b->count - count;
}

/* Whether any of 1 to 64 blocks is there; all are in the range. */
static inline bool block_bits_any(const struct block_bits *b, uint64_t first, uint64_t count)
{
	uint64_t at = first - b->first, wanted = UINT64_MAX >> (64 - count);
	const uint64_t *word = &b->words[at / 64];

	if (*word & wanted << at % 64)
		return true;
	return at % 64 + count > 64 && word[1] & wanted >> (64 - at % 64);
}

/* Ignores a block outside the range. */
static inline void block_bits_set(struct block_bits *b, uint64_t block)
{
	uint64_t at = block - b->first;

	if (at < b->count)
		b->words[at / 64] |= 1ull << at % 64;
}

static inline void block_bits_unset(struct block_bits *b, uint64_t block)
{
	uint64_t at = block - b->first;

	if (at < b->count)
		b->words[at / 64] &= ~(1ull << at % 64);
}

#endif
