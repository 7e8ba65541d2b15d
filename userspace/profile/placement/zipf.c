// SPDX-License-Identifier: MIT
#include "profile/placement/zipf.h"

#include "profile/arithmetic.h"

#define EXACT_RANKS    64u
#define OCTAVE_CELLS   16u
#define SCATTER_ROUNDS 4u
#define POINT	       30 /* bits behind the binary point */
#define ONE	       (1ull << POINT)

/* log2 of a number of at least 1, with POINT bits behind the point: squares it bit by bit. */
static uint64_t log2_fixed(uint64_t number)
{
	unsigned int whole = bits_of(number) - 1;
	uint64_t result = (uint64_t)whole << POINT;
	uint64_t rest = whole > POINT ? number >> (whole - POINT) : number << (POINT - whole);

	for (uint64_t bit = ONE / 2; bit; bit /= 2) {
		rest = (rest * rest) >> POINT;
		if (rest >= 2 * ONE) {
			rest /= 2;
			result += bit;
		}
	}
	return result;
}

/* 2^-exponent with POINT bits behind the point; the exponent, too, and below ONE. */
static uint64_t exp2_negative(uint64_t exponent)
{
	uint64_t result = ONE, factor = ONE / 2;

	for (uint64_t bit = ONE / 2; bit; bit /= 2) {
		factor = square_root(factor << POINT);
		if (exponent & bit)
			result = (result * factor) >> POINT;
	}
	return result;
}

/* 2^scale * number^-exponent */
static uint64_t weight_of(uint64_t number, uint32_t exponent_permille, unsigned int scale)
{
	unsigned __int128 exponent =
		(unsigned __int128)log2_fixed(number) * exponent_permille / 1000;
	uint64_t whole = (uint64_t)(exponent >> POINT);
	unsigned __int128 weight = (unsigned __int128)exp2_negative((uint64_t)exponent & (ONE - 1))
				   << scale;

	return whole + POINT < 128 ? (uint64_t)(weight >> (whole + POINT)) : 0;
}

void zipf_init(struct zipf *z, uint64_t count, uint32_t exponent_permille)
{
	unsigned int scale = 62 - bits_of(count);
	uint64_t begin = 0, width, sum = 0;

	z->count = count;
	z->cells = 0;
	for (; begin < count; begin += width) {
		width = begin < EXACT_RANKS ? 1 : 1ull << (bits_of(begin) - 1 - 4);
		width = smaller_of(width, count - begin);
		/* The middle of a cell stands for its ranks, which count from 1 here. */
		sum += width * weight_of(begin + 1 + (width - 1) / 2, exponent_permille, scale);
		z->begins[z->cells] = begin;
		z->sums[z->cells++] = sum;
	}
}

uint64_t zipf_draw(const struct zipf *z, struct prng *random)
{
	uint64_t at = prng_below(random, z->sums[z->cells - 1]), end;
	unsigned int low = 0, high = z->cells - 1;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (at < z->sums[middle])
			high = middle;
		else
			low = middle + 1;
	}
	end = low + 1 < z->cells ? z->begins[low + 1] : z->count;
	return z->begins[low] + prng_below(random, end - z->begins[low]);
}

/* Rounds of a mix that can be undone, within the next power of two; again for what is outside. */
uint64_t zipf_scatter(uint64_t rank, uint64_t count)
{
	unsigned int bits = bits_of(count - 1), half = (bits + 1) / 2;
	uint64_t mask = bits < 64 ? (1ull << bits) - 1 : ~0ull;

	if (count < 2)
		return 0;
	do {
		for (unsigned int round = 0; round < SCATTER_ROUNDS; round++) {
			rank = (rank * 0xbf58476d1ce4e5b9ull + 0x9e3779b97f4a7c15ull) & mask;
			rank ^= rank >> half;
		}
	} while (rank >= count);
	return rank;
}
