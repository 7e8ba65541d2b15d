/* SPDX-License-Identifier: MIT */
/* Places of streams that a person wrote: uniform, zipf, sequential, hot. */
#ifndef BLKREEL_PROFILE_PLACEMENT_PLACE_RULES_H
#define BLKREEL_PROFILE_PLACEMENT_PLACE_RULES_H

#include <stdbool.h>

#include "profile/placement/address_space.h"
#include "profile/placement/zipf.h"
#include "profile/prng.h"
#include "profile/profile.h"

/* Whether the profile has tables of where the stream goes. */
bool place_tables(const struct profile_stream *stream);

/* Where a stream goes: uniformly, too, if no table says more. */
enum stream_place place_rule(const struct profile *p, uint32_t stream);

/* Of the streams of one space. */
struct place_rules {
	const struct profile *p;
	enum stream_place rules[PROFILE_STREAMS_MAX]; /* place_rule() */
	uint64_t next_sectors[PROFILE_STREAMS_MAX];   /* of PLACE_SEQUENTIAL */
	struct zipf *zipfs[PROFILE_STREAMS_MAX];      /* of PLACE_ZIPF */
};

/* Finds the rules of the streams of `space`. 0 or -ENOMEM; place_rules_release() frees. */
int place_rules_init(struct place_rules *r, const struct profile *p, uint32_t space,
		     const struct address_space *addresses);
void place_rules_release(struct place_rules *r);

/* Sets the sector of an IO of such a stream. */
void place_rules_apply(struct place_rules *r, const struct address_space *addresses,
		       unsigned int stream, struct prng *random, struct io_row *row);

#endif
