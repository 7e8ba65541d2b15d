/* SPDX-License-Identifier: MIT */
/*
 * The addresses of a profile's IOs: an LRU stack model (Mattson 1970) for blocks used again, runs,
 * and zones for new blocks.
 */
#ifndef BLKREEL_PROFILE_PLACEMENT_PLACEMENT_H
#define BLKREEL_PROFILE_PLACEMENT_PLACEMENT_H

#include "profile/prng.h"
#include "profile/profile.h"

/* Blocks of 4 KiB whose order of use is followed; what was used longer ago counts as new. */
#define PLACEMENT_BLOCKS_MAX (1u << 21)

struct placement;

/* Of space `space` of the profile. 0 or -ENOMEM. */
int placement__create(const struct profile *p, uint32_t space, struct placement **placement);

void placement__free(struct placement *s); /* NULL is allowed */

/* Before each IO: `done` of the `total` IOs of a phase were given. 0 or -ENOMEM. */
int placement__progress(struct placement *s, uint32_t phase, uint64_t done, uint64_t total);

/* Sets row->sector; op and bytes are set already. */
void placement__place(struct placement *s, unsigned int stream, struct prng *random,
		      struct io_row *row);

/* The profile is generated over again; what was touched is remembered. */
void placement__restart(struct placement *s);

#endif
