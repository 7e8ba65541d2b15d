/* SPDX-License-Identifier: MIT */
/* Counts to the small whole numbers that a profile keeps of them. */
#ifndef BLKREEL_PROFILE_WEIGHTS_H
#define BLKREEL_PROFILE_WEIGHTS_H

#include <stdint.h>

/* Scales counts to weights with a sum of about `most`; a count above 0 stays above 0. */
void weights_from_counts(const uint64_t *counts, unsigned int count, uint64_t most,
			 uint32_t *weights);

/* Scales counts to digits, rounded: the largest becomes DIGIT_MAX, unless all are below. */
void digits_from_counts(const uint64_t *counts, unsigned int count, uint32_t *weights);

#endif
