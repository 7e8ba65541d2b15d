/* SPDX-License-Identifier: MIT */
/* Numbers that look like chance and are the same on every machine. */
#ifndef BLKREEL_TESTS_UNIT_SHARED_RANDOM_H
#define BLKREEL_TESTS_UNIT_SHARED_RANDOM_H

#include <stdint.h>

/* Of the number x, always the same (splitmix64): what compresses well would not fill a disk. */
static inline uint64_t random_of(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static uint64_t random_state = 1; /* the seed; never 0 */

static inline uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

#endif
