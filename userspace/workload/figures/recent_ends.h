/* SPDX-License-Identifier: MIT */
/* The ends of the last requests of one operation, to detect sequential requests. */
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
	uint16_t carry[RECENT_ENDS];		   /* bytes of the run in the sector */
	uint8_t buckets[1u << RECENT_BUCKET_BITS]; /* ends by hash, for quick misses */
};

/* The position of the end at `sector`, 0 (most recent) to RECENT_ENDS - 1; -1: there is none. */
int recent_ends_rank(const struct recent_ends *r, uint64_t sector);

/*
 * Adds a request that ended before `end`; replaces the end at `continued` (-1: none). Stores each
 * end once, so that a repeated request does not continue itself.
 */
void recent_ends_add(struct recent_ends *r, int continued, uint64_t end, uint32_t owner);

/*
 * The same for a request of `bytes` from `sector` on. Carries parts of sectors along the run, so
 * that many small requests end where they should.
 */
void recent_ends_follow(struct recent_ends *r, int continued, uint64_t sector, uint64_t bytes,
			uint32_t owner);

#endif
