// SPDX-License-Identifier: MIT
#include "profile/weights.h"

#include "profile/arithmetic.h"

void weights_from_counts(const uint64_t *counts, unsigned int count, uint64_t most,
			 uint32_t *weights)
{
	uint64_t sum = sum_of_counts(counts, count);

	for (unsigned int i = 0; i < count; i++) {
		uint64_t weight = counts[i];

		if (sum > most)
			weight = (uint64_t)(((unsigned __int128)counts[i] * most + sum / 2) / sum);
		weights[i] = (uint32_t)(counts[i] && !weight ? 1 : weight);
	}
}

void digits_from_counts(const uint64_t *counts, unsigned int count, uint32_t *weights)
{
	uint64_t largest = 0;

	for (unsigned int i = 0; i < count; i++)
		largest = counts[i] > largest ? counts[i] : largest;
	for (unsigned int i = 0; i < count; i++)
		weights[i] = (uint32_t)(largest <= DIGIT_MAX
						? counts[i]
						: ((unsigned __int128)counts[i] * DIGIT_MAX +
						   largest / 2) /
							  largest);
}
