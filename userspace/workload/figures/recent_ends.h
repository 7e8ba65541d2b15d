/* SPDX-License-Identifier: MIT */
/* Where the last requests of one op ended: tells sequential requests from others. */
#ifndef BLKREEL_WORKLOAD_FIGURES_RECENT_ENDS_H
#define BLKREEL_WORKLOAD_FIGURES_RECENT_ENDS_H

#include <stdint.h>

#define RECENT_ENDS	   32
#define RECENT_BUCKET_BITS 10

/* Most recent first. Zero-filled is empty. */
struct recent_ends {
	unsigned int count;
	uint64_t ends[RECENT_ENDS]; /* sector after the last */
	uint32_t owners[RECENT_ENDS];
	uint16_t carry[RECENT_ENDS]; /* bytes of a sector that the run reaches into it */
	uint8_t buckets[1u << RECENT_BUCKET_BITS]; /* ends by hash: most sectors are in none */
};

/* How many more recent ends lie before `sector` (0 to RECENT_ENDS - 1); -1: it is not there. */
int recent_ends_rank(const struct recent_ends *r, uint64_t sector);

/*
 * A request that ended before `end`: takes the place of the one at `continued` (-1: none). An
 * end is kept once, so that a request that is repeated does not continue itself.
 */
void recent_ends_add(struct recent_ends *r, int continued, uint64_t end, uint32_t owner);

/*
 * The same for a request that begins at `sector`, of any number of bytes: what is not a whole sector is carried on
 * along the run, so that many small ones get as far as they do.
 */
void recent_ends_follow(struct recent_ends *r, int continued, uint64_t sector, uint64_t bytes,
			uint32_t owner);

#endif
