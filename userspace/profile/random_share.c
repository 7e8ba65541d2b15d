// SPDX-License-Identifier: MIT
#include "profile/random_share.h"

#include <math.h>

#include "profile/arithmetic.h"

#define ONE_BY_ONE 32 /* so few are drawn one by one */
/*
 * Splits look random within so many standard deviations of the sum of squares, or within a tenth.
 */
#define RANDOM_DEVIATIONS 4.0
#define RANDOM_PART	  0.1

#define BITS_MAX 4096
#define ROUNDING (256 * 256 / 12) /* variance that rounding adds */
#define SD_PARTS 256		  /* of a standard deviation's unit */
#define Z_UNIT	 1024		  /* of normal_1024() */
#define Z_SD	 8197ull	  /* its standard deviation: sqrt(64 + 1/12) units */
#define BITS	 (4 * 64)	  /* that normal_1024() adds up */

/* Nearly normal around 0, in 1024ths; in whole numbers, so that every machine draws the same. */
static int64_t normal_1024(struct prng *random)
{
	int64_t ones = -BITS / 2;

	for (unsigned int i = 0; i < BITS / 64; i++)
		ones += __builtin_popcountll(prng_next(random));
	return ones * Z_UNIT + (int64_t)prng_below(random, Z_UNIT) - Z_UNIT / 2;
}

/* A whole number around mean + mean_256 / 256, between least and most. */
static uint64_t draw_normal(uint64_t mean, uint64_t mean_256, double variance, uint64_t least,
			    uint64_t most, struct prng *random)
{
	uint64_t parts = (uint64_t)(variance * SD_PARTS * SD_PARTS);
	int64_t sd = (int64_t)square_root(parts - ROUNDING), off;

	off = (int64_t)((__int128)normal_1024(random) * sd / (int64_t)Z_SD);
	off += (int64_t)mean_256 + SD_PARTS / 2;
	/* Towards minus infinity. */
	off = off >= 0 ? off / SD_PARTS : -((SD_PARTS - 1 - off) / SD_PARTS);
	if (off < 0 && (uint64_t)-off > mean - least)
		return least;
	mean += (uint64_t)off;
	return mean > most ? most : mean;
}

static uint64_t one_by_one(uint64_t ios, uint64_t marked, uint64_t part, struct prng *random)
{
	uint64_t drawn = 0;

	for (uint64_t i = 0; i < part; i++)
		drawn += prng_below(random, ios - i) < marked - drawn;
	return drawn;
}

uint64_t random_share(uint64_t ios, uint64_t marked, uint64_t part, struct prng *random)
{
	uint64_t least, most = smaller_of(marked, part), mean, rest;

	/* The numbers of marked IOs and of IOs of the part may change places. */
	if (smaller_of(part, ios - part) > smaller_of(marked, ios - marked))
		return random_share(ios, part, marked, random);
	if (part > ios - part)
		return marked - random_share(ios, marked, ios - part, random);
	if (part <= ONE_BY_ONE)
		return one_by_one(ios, marked, part, random);
	least = marked + part > ios ? marked + part - ios : 0;
	mean = (uint64_t)((unsigned __int128)marked * part / ios);
	rest = (uint64_t)((unsigned __int128)marked * part % ios * SD_PARTS / ios);
	return draw_normal(mean, rest, random_share_variance(ios, marked, part), least, most,
			   random);
}

double random_share_variance(uint64_t ios, uint64_t marked, uint64_t part)
{
	double n = (double)ios, k = (double)marked, b = (double)part;

	return ios < 2 ? 0 : k * b / n * ((n - k) / n) * ((n - b) / (n - 1));
}

uint64_t random_half(uint64_t n, struct prng *random)
{
	uint64_t ones = 0;

	if (n > BITS_MAX)
		return draw_normal(n / 2, n % 2 * (SD_PARTS / 2), (double)n / 4, 0, n, random);
	for (; n >= 64; n -= 64)
		ones += (uint64_t)__builtin_popcountll(prng_next(random));
	return ones + (n ? (uint64_t)__builtin_popcountll(prng_next(random) >> (64 - n)) : 0);
}

bool looks_random(const struct chance_sums *s)
{
	double off = fabs(s->squares - s->chance);

	return off <= RANDOM_PART * s->chance || off <= RANDOM_DEVIATIONS * sqrt(s->noise);
}
