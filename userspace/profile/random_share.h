/* SPDX-License-Identifier: MIT */
/* What chance alone does: how many marked IOs fall into a part of an interval. */
#ifndef BLKREEL_PROFILE_RANDOM_SHARE_H
#define BLKREEL_PROFILE_RANDOM_SHARE_H

#include <stdbool.h>

#include "profile/prng.h"

/*
 * Of `ios` IOs, of which `marked` are marked, `part` fall into a part: how many of these are
 * marked, if each IO is as likely to be (hypergeometric distribution; a normal one in its place
 * where 32 IOs and more of each kind fall on either side). Both are at most `ios`.
 */
uint64_t random_share(uint64_t ios, uint64_t marked, uint64_t part, struct prng *random);

/* Variance of this number. */
double random_share_variance(uint64_t ios, uint64_t marked, uint64_t part);

/* How many of n IOs fall into the first half of an interval, if each is as likely to (binomial). */
uint64_t random_half(uint64_t n, struct prng *random);

/*
 * Whether splits look random. For each split there is a squared deviation from the even one, and
 * what chance alone gives in the mean; both are added up, and so is how much the former varies.
 */
struct chance_sums {
	double squares, chance, noise;
};

static inline void chance_sums_add(struct chance_sums *s, double deviation, double chance)
{
	s->squares += deviation * deviation;
	s->chance += chance;
	s->noise += (2 * chance + 1) * chance;
}

bool looks_random(const struct chance_sums *s); /* also if there were no splits */

#endif
