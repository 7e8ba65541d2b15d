/* SPDX-License-Identifier: MIT */
/*
 * xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021),
 * seeded by splitmix64: small, and the same numbers on every machine.
 */
#ifndef BLKREEL_PROFILE_PRNG_H
#define BLKREEL_PROFILE_PRNG_H

#include <stdint.h>

#include "profile/arithmetic.h"

struct prng {
	uint64_t state[4];
};

static inline void prng_seed(struct prng *r, uint64_t seed)
{
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t z = seed += 0x9e3779b97f4a7c15ull;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
		r->state[i] = z ^ (z >> 31);
	}
}

static inline uint64_t prng_rotate(uint64_t x, unsigned int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

static inline uint64_t prng_next(struct prng *r)
{
	uint64_t *s = r->state, result = prng_rotate(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = prng_rotate(s[3], 45);
	return result;
}

/* Uniform in [0, limit); 0 for limit 0. The bias of the multiplication is below 2^-24. */
static inline uint64_t prng_below(struct prng *r, uint64_t limit)
{
	return (uint64_t)(((unsigned __int128)prng_next(r) * limit) >> 64);
}

/* Index of a weight, drawn by its share of their `sum`, which is not 0. */
static inline int prng_weighted_of(struct prng *r, const uint32_t *weights, uint64_t sum)
{
	uint64_t at = prng_below(r, sum);

	for (unsigned int i = 0;; i++) {
		if (at < weights[i])
			return (int)i;
		at -= weights[i];
	}
}

/* The same of larger weights. */
static inline unsigned int prng_weighted_of_64(struct prng *r, const uint64_t *weights,
					       uint64_t sum)
{
	uint64_t at = prng_below(r, sum);
	unsigned int i;

	for (i = 0; at >= weights[i]; i++)
		at -= weights[i];
	return i;
}

/* The same where the sum is not known; -1 when all are zero. */
static inline int prng_weighted(struct prng *r, const uint32_t *weights, unsigned int count)
{
	uint64_t sum = sum_of_weights(weights, count);

	return sum ? prng_weighted_of(r, weights, sum) : -1;
}

#endif
