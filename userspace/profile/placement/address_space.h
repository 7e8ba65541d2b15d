/* SPDX-License-Identifier: MIT */
/*
 * The addresses that requests of a profile may have, and the search for a new place: near where a
 * recent request ended, or anywhere in a zone drawn by weight.
 */
#ifndef BLKREEL_PROFILE_PLACEMENT_ADDRESS_SPACE_H
#define BLKREEL_PROFILE_PLACEMENT_ADDRESS_SPACE_H

#include "base/units.h"
#include "profile/file_layout.h"
#include "profile/prng.h"
#include "profile/profile.h"
#include "workload/lru/lru_stack.h"
#include "workload/figures/measure.h"
#include "workload/figures/recent_ends.h"

/* Weights of zones, ready to be drawn from. */
struct zone_weights {
	uint64_t up_to[PROFILE_ZONES]; /* sums of the weights to this one */
};

struct address_space {
	const struct profile *p;
	const struct lru_stack *stack; /* blocks that were touched */
	uint64_t first_sector, end_sector;
	struct file_layout
		files; /* no request goes beyond the end of one; count 0: there are none */
	/* How the request should lie on the blocks. */
	struct {
		bool straddles;	 /* it touches a block more than its bytes need */
		bool ends_block; /* it ends where a block does */
		int64_t surplus; /* of requests so far that straddled and should not have */
	} fit;
	bool at_begin; /* the request begins where a file does, unless it goes on */
	uint64_t zone_begins[PROFILE_ZONES + 1]; /* sectors */
	/* What is drawn from again and again, of a stream. */
	struct {
		uint64_t run_recency_sum, run_distance_sum, aligned_sum;
		struct zone_weights zones;
	} streams[PROFILE_STREAMS_MAX];
};

/* Space `space` of the profile. Profile and stack stay the caller's, and must outlive it. */
void address_space_init(struct address_space *s, const struct profile *p, uint32_t space,
			const struct lru_stack *stack);

/* Sectors that so many bytes take. */
static inline uint64_t address_sectors(uint64_t bytes)
{
	return (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
}

/* The block of 4 KiB, as they are counted in the stack, that holds a sector. */
static inline uint64_t address_block(const struct address_space *s, uint64_t sector)
{
	return (sector + BLOCK_SECTORS - s->p->block_offset_sectors) / BLOCK_SECTORS;
}

/* The first sector of a block. */
static inline uint64_t address_sector(const struct address_space *s, uint64_t block)
{
	return block * BLOCK_SECTORS - BLOCK_SECTORS + s->p->block_offset_sectors;
}

/* Whether a request may lie there: inside of the space, and of one file where there are files. */
static inline bool address_fits(const struct address_space *s, uint64_t sector, uint64_t bytes)
{
	return sector >= s->first_sector && sector < s->end_sector &&
	       address_sectors(bytes) <= s->end_sector - sector &&
	       (!s->files.count || file_layout_holds(&s->files, sector, bytes));
}

/* Draws how a request of so many bytes (more than 0) lies on the blocks. */
void address_draw_fit(struct address_space *s, unsigned int stream, uint64_t bytes,
		      struct prng *random);

/* Notes how it lies there, before the next one is drawn. */
void address_note_fit(struct address_space *s, uint64_t sector, uint64_t bytes);

/* In how much of that a request there is not as it should be, 0 to 2. */
unsigned int address_misfits(const struct address_space *s, uint64_t sector, uint64_t bytes);

/* The first place from this one on, less than a block away, where it fits best. */
uint64_t address_suit(const struct address_space *s, uint64_t sector, uint64_t bytes);

/* Neither the first of these blocks nor the last was touched before, nor one of some in between. */
bool address_are_new(const struct address_space *s, uint64_t first, uint64_t last);

/* The last of these blocks was touched before, and where they are many, some before it, too. */
bool address_are_old(const struct address_space *s, uint64_t first, uint64_t last);

/* Neither its first nor its last block was touched before, nor one of some in between. */
bool address_is_new(const struct address_space *s, uint64_t sector, uint64_t bytes);

/*
 * Draws how recent a run is continued: column 0 the last run, n a run with 2^(n-1) to 2^n - 1 more
 * recent ones.
 */
unsigned int address_draw_recency(const struct address_space *s, unsigned int stream,
				  struct prng *random);

/*
 * Sets row->sector for row->bytes (more than 0) to a new place, but not to one of `ends`: recent
 * requests of the op, or NULL for any place in the zones. If none is found soon, the place is not
 * new.
 */
void address_find_new(const struct address_space *s, unsigned int stream, struct prng *random,
		      struct io_row *row, const struct recent_ends *ends);

/* How many IOs of so many bytes (more than 0) lie side by side, from *first on. */
uint64_t address_places(const struct address_space *s, uint64_t bytes, uint64_t *first);

#endif
