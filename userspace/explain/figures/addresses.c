// SPDX-License-Identifier: MIT
#include "explain/figures/addresses.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define SAMPLE_SLOTS	  16384u /* a power of two */
#define SAMPLE_FILL_MAX	  (SAMPLE_SLOTS / 2)
#define BLOCKS_PER_IO_MAX 4096u
#define SECTORS_PER_BLOCK (PAGE_BYTES / SECTOR_BYTES)
#define SLOT_EMPTY	  0u

struct block_sample {
	uint64_t threshold; /* a block is in the sample when its hash is not above it */
	uint64_t weight;    /* how many blocks one in the sample stands for */
	uint32_t used;
	uint64_t hashes[SAMPLE_SLOTS];
};

struct block_sample *block_sample__new(void)
{
	struct block_sample *s = calloc(1, sizeof(*s));

	if (s) {
		s->threshold = UINT64_MAX;
		s->weight = 1;
	}
	return s;
}

void block_sample__free(struct block_sample *s)
{
	free(s);
}

/* The finalizer of MurmurHash3: a bijection, so that distinct blocks never collide. */
static uint64_t block_hash(uint64_t block)
{
	uint64_t hash = block + 1;

	hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdull;
	hash = (hash ^ (hash >> 33)) * 0xc4ceb9fe1a85ec53ull;
	hash ^= hash >> 33;
	return hash ? hash : 1;
}

/* True when it was there already. */
static bool insert(struct block_sample *s, uint64_t hash)
{
	uint32_t slot = (uint32_t)hash & (SAMPLE_SLOTS - 1);

	while (s->hashes[slot] != SLOT_EMPTY) {
		if (s->hashes[slot] == hash)
			return true;
		slot = (slot + 1) & (SAMPLE_SLOTS - 1);
	}
	s->hashes[slot] = hash;
	s->used++;
	return false;
}

/*
 * Slots are chosen by the low bits of a hash and the threshold by its size, so thinning stays
 * even.
 */
static void halve(struct block_sample *s)
{
	uint64_t kept[SAMPLE_FILL_MAX + 1];
	uint32_t count = 0;

	s->threshold /= 2;
	s->weight *= 2;
	for (uint32_t i = 0; i < SAMPLE_SLOTS; i++)
		if (s->hashes[i] != SLOT_EMPTY && s->hashes[i] <= s->threshold)
			kept[count++] = s->hashes[i];
	memset(s->hashes, 0, sizeof(s->hashes));
	s->used = 0;
	for (uint32_t i = 0; i < count; i++)
		insert(s, kept[i]);
}

void block_sample__read(struct block_sample *s, uint64_t sector, uint64_t bytes, uint64_t *blocks,
			uint64_t *repeated)
{
	uint64_t first = sector / SECTORS_PER_BLOCK;
	uint64_t count = bytes / PAGE_BYTES + (bytes % PAGE_BYTES != 0);

	if (count > BLOCKS_PER_IO_MAX)
		count = BLOCKS_PER_IO_MAX;
	for (uint64_t i = 0; i < count; i++) {
		uint64_t hash = block_hash(first + i);

		if (hash > s->threshold)
			continue;
		*blocks += s->weight;
		if (insert(s, hash))
			*repeated += s->weight;
		else if (s->used > SAMPLE_FILL_MAX)
			halve(s);
	}
}
