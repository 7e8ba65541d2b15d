/* SPDX-License-Identifier: MIT */
/* Integer arithmetic of the model: octaves, and parts of a whole. */
#ifndef BLKREEL_PROFILE_ARITHMETIC_H
#define BLKREEL_PROFILE_ARITHMETIC_H

#include <stdint.h>

/* 0 for 0, else 1 + the position of the highest bit. */
static inline unsigned int bits_of(uint64_t value)
{
	return value ? 64u - (unsigned int)__builtin_clzll(value) : 0;
}

static inline unsigned int at_most(unsigned int value, unsigned int most)
{
	return value < most ? value : most;
}

static inline uint64_t sum_of_weights(const uint32_t *weights, unsigned int count)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += weights[i];
	return sum;
}

static inline uint64_t sum_of_counts(const uint64_t *counts, unsigned int count)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += counts[i];
	return sum;
}

static inline uint64_t smaller_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static inline uint64_t larger_of(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Factor, in 256ths, of what came as often as it should. */
#define FACTOR_EVEN 256u

/* The same of what lacks or came too often: `gain` of them double or halve it, up to `most` times. */
static inline uint32_t factor_of(uint64_t wanted, uint64_t given, int64_t gain, int64_t most)
{
	int64_t lacking = (int64_t)(wanted - given), limit = (most - 1) * gain;

	if (lacking >= 0)
		return (uint32_t)(FACTOR_EVEN *
				  (uint64_t)(gain + (lacking < limit ? lacking : limit)) /
				  (uint64_t)gain);
	return (uint32_t)(FACTOR_EVEN * (uint64_t)gain /
			  (uint64_t)(gain - (lacking > -limit ? lacking : -limit)));
}

/* Adds numbers of 64 bits, also all that follow each other in a structure. */
static inline void add_counts(void *into, const void *from, unsigned int count)
{
	const uint64_t *counts = from;
	uint64_t *sums = into;

	for (unsigned int i = 0; i < count; i++)
		sums[i] += counts[i];
}

/* The largest number below 2^32 whose square is not above. */
static inline uint64_t square_root(uint64_t square)
{
	uint64_t root = 0;

	for (uint64_t bit = 1ull << 31; bit; bit /= 2)
		if ((root | bit) * (root | bit) <= square)
			root |= bit;
	return root;
}

/* Where interval `index` of `parts` of [0, length] begins. */
static inline uint64_t part_begin(uint64_t length, uint64_t index, uint64_t parts)
{
	uint64_t product;

	/* A division of 128 bits is a call that takes ten times as long. */
	if (!__builtin_mul_overflow(length, index, &product))
		return product / parts;
	return (uint64_t)((unsigned __int128)length * index / parts);
}

/* The interval that `at` in [0, length] falls into. */
static inline uint64_t part_of(uint64_t length, uint64_t at, uint64_t parts)
{
	uint64_t part = length ? part_begin(at, parts, length) : 0;

	return part < parts ? part : parts - 1;
}

#endif
