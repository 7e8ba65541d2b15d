// SPDX-License-Identifier: MIT
#include "collector/probes/skipped_calls.h"

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void skipped_calls_add(struct skipped_calls *s, const uint64_t *misses, unsigned int count)
{
	uint64_t least = misses[0];

	for (unsigned int i = 1; i < count; i++)
		least = least_of(least, misses[i]);
	s->by_first += misses[0];
	s->by_all += least;
}

uint64_t skipped_calls_lost(const struct skipped_calls *s, uint64_t done_again)
{
	return least_of(s->by_all, s->by_first > done_again ? s->by_first - done_again : 0);
}
