/* SPDX-License-Identifier: MIT */
/* Profiles out of profiles. */
#ifndef BLKREEL_PROFILE_OPERATIONS_OPERATIONS_H
#define BLKREEL_PROFILE_OPERATIONS_OPERATIONS_H

#include "profile/profile.h"

/* Factors above 0; 1: no change. */
struct profile_scale {
	double load;	  /* IOs in the same time */
	double time;	  /* duration of the same IOs */
	double footprint; /* blocks and distances between uses of one, and the address range */
};

/* Scales in place; profile__check() says whether the result is still within what can be said. */
void profile__scale(struct profile *p, const struct profile_scale *scale);

/* Scales the footprint alone; `blocks` in place of the factor says how many blocks are new. */
void profile__scale_blocks(struct profile *p, double footprint, double blocks);

#define PROFILE_FIT_IOS_MAX (1ull << 24) /* IOs that are generated to count a footprint */

/* What a scaled footprint came to. */
struct profile_fit {
	double footprint; /* factor that was counted */
	/* Largest difference of the miss ratios of caches of 1/64 to 1/2 of the own footprint. */
	double misses_apart;
};

/*
 * Scales, generates, counts the blocks, and tries again until the footprint is as near as can be.
 * 0; -ERANGE: more than PROFILE_FIT_IOS_MAX IOs, so scaled without counting; -ENODATA: no blocks;
 * -ENOMEM, -EINVAL.
 */
int profile__fit_footprint(struct profile *p, const struct profile_scale *scale,
			   struct profile_fit *fit);

/*
 * Blocks of 4 KiB that reads and writes touch at least, each counted as often as it is touched; and
 * how many different ones (0: not known).
 */
struct profile_touched {
	uint64_t blocks, different;
};

struct profile_touched profile__touched(const struct profile *p);

/* A part of a mix. */
struct profile_part {
	const struct profile *p;
	uint64_t offset_sectors; /* added to its addresses */
};

#define PROFILE_WINDOW_SHIFT_MAX 3
#define PROFILE_PARTS_MAX	 PROFILE_SPACES_MAX
#define PROFILE_COMBINE_MAX	 (1ull << 28) /* IOs that are generated for it */

/*
 * Generates all parts side by side, the shorter ones over and over until the longest ends, and
 * builds a profile of what lies in [from_ns, to_ns), in as many windows and phases as keep its text
 * within 16 KiB. *profile is to be freed. 0, -ENOMEM, -ERANGE (over PROFILE_COMBINE_MAX IOs or
 * beyond what a profile can say), -E2BIG (more than PROFILE_SPACES_MAX spaces in sum), -ENODATA
 * (nothing lies there).
 */
int profile__combine(const struct profile_part *parts, unsigned int count, uint64_t from_ns,
		     uint64_t to_ns, struct profile **profile);

/*
 * *from_ns: where the stretch of `length_ns` (> 0) with the most of the generated IOs begins; it
 * begins with an IO. 0, -ENOMEM, -ERANGE (over PROFILE_COMBINE_MAX IOs).
 */
int profile__busiest(const struct profile *p, uint64_t length_ns, uint64_t *from_ns);

/*
 * Coarsens the profile in the steps of docs/profile-format.md while its text exceeds 15 KiB, as far
 * as that helps. *text (of *text_bytes) is to be freed, also after an error. 0 or a negative errno.
 */
int profile__shorten(struct profile *p, char **text, size_t *text_bytes);

/* Steps of it ------------------------------------------------------------------------------ */

/*
 * The largest weight of each table becomes the largest digit: of streams, and of arrivals if
 * `arrival`.
 */
void profile__to_digits(struct profile *p, bool arrival);

/* Drops gap_within of octaves with less than so many per mille of all gaps. */
void profile__drop_within(struct profile *p, uint32_t permille);

/* Keeps every second value of gap_within. */
void profile__thin_within(struct profile *p);

/* Keeps the pinned bursts with the busiest neighbourhoods; the cascade generates the others. */
void profile__drop_bursts(struct profile *p, uint32_t most);

#endif
