/* SPDX-License-Identifier: MIT */
/*
 * Counts to the small whole numbers that a profile keeps of them, and small ones to digits, a
 * character each in its text: 0-9, a-z for 10 to 35, A-Z for 36 to 61.
 */
#ifndef BLKREEL_PROFILE_WEIGHTS_H
#define BLKREEL_PROFILE_WEIGHTS_H

#include <stdint.h>

#define DIGIT_MAX 61u

/* Of a weight up to DIGIT_MAX. */
static inline char digit_of(uint32_t weight)
{
	return (char)(weight < 10   ? '0' + weight
		      : weight < 36 ? 'a' + (weight - 10)
				    : 'A' + (weight - 36));
}

/* The weight; -1: it is no digit. */
static inline int digit_weight(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'z')
		return digit - 'a' + 10;
	return digit >= 'A' && digit <= 'Z' ? digit - 'A' + 36 : -1;
}

/* Scales counts to weights with a sum of about `most`; a count above 0 stays above 0. */
void weights_from_counts(const uint64_t *counts, unsigned int count, uint64_t most,
			 uint32_t *weights);

/* Scales counts to digits, rounded: the largest becomes DIGIT_MAX, unless all are below. */
void digits_from_counts(const uint64_t *counts, unsigned int count, uint32_t *weights);

#endif
