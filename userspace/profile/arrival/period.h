/* SPDX-License-Identifier: MIT */
/*
 * A period of the arrivals, as a timer makes it: which part of it has how many of the IOs. Splits
 * are of what is left: an interval that splits as the period says splits evenly.
 * docs/profile-model.md, "A period".
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_PERIOD_H
#define BLKREEL_PROFILE_ARRIVAL_PERIOD_H

#include "profile/prng.h"
#include "profile/profile.h"

struct period {
	uint64_t period_ns;
	uint32_t levels; /* from the window down: so many split by the period; 0: none */
	uint64_t shift_ns[PROFILE_WINDOWS_MAX];	   /* that a window is ahead */
	uint64_t before[PROFILE_PERIOD_PARTS + 1]; /* weights of the parts before this one */
};

/* The weights of both halves of an interval; equal ones say nothing. Zero-filled: equal. */
struct period_halves {
	uint64_t first, second; /* below 2^20 */
};

/* For a profile of so many phases and so long. */
void period_init(struct period *t, const struct profile_arrival *model,
		 const struct profile_splits *splits, uint64_t duration_ns, uint32_t phases);

struct period_halves period_halves(const struct period *t, uint64_t window, uint64_t begin_ns,
				   uint64_t middle_ns, uint64_t end_ns);

/*
 * How many of the left IOs there would be without the period, if there are `left` and `right`: by
 * as many more or less than half of them as they are above or below their share.
 */
uint64_t period_flatten(struct period_halves h, uint64_t left, uint64_t right);

/* The way back, rounded at random. */
uint64_t period_bend(struct period_halves h, uint64_t left, uint64_t right, struct prng *random);

/*
 * Chance, per mille, that of n IOs the first half gets the `more` of a flat split, such that in the
 * mean each half gets its share.
 */
uint32_t period_first_permille(struct period_halves h, uint64_t more, uint64_t n);

#endif
