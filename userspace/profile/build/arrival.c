// SPDX-License-Identifier: MIT
#include "profile/build/arrival.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/build/arrival_counts.h"
#include "profile/build/fit_bin.h"
#include "profile/classes.h"

struct arrival_builder {
	struct arrival_counts *counts;
	uint64_t window_ns;
	/* The first times, held until they have decided how long a bin is; then NULL. */
	uint64_t *held_ns;
	uint8_t *held_kinds; /* is a read + 2 * size class */
	uint32_t held, held_max;
};

int arrival_builder__create(uint64_t ios, uint64_t duration_ns, struct time_grid grid,
			    const uint64_t above_bytes[PROFILE_SIZE_CLASSES],
			    struct arrival_builder **builder)
{
	struct arrival_builder *b = calloc(1, sizeof(*b));
	int err;

	if (!b)
		return -ENOMEM;
	b->window_ns = duration_ns / grid.windows;
	err = arrival_counts__create(grid, duration_ns, split_levels_to(b->window_ns, BIN_NS),
				     above_bytes, &b->counts);
	b->held_max = ios < FIT_IOS ? (uint32_t)ios + 1 : FIT_IOS;
	b->held_ns = calloc(b->held_max, sizeof(*b->held_ns));
	b->held_kinds = calloc(b->held_max, sizeof(*b->held_kinds));
	if (err || !b->held_ns || !b->held_kinds) {
		arrival_builder__free(b);
		return -ENOMEM;
	}
	*builder = b;
	return 0;
}

void arrival_builder__free(struct arrival_builder *b)
{
	if (!b)
		return;
	arrival_counts__free(b->counts);
	free(b->held_ns);
	free(b->held_kinds);
	free(b);
}

/* The held times decide how long a bin is, and are counted then. */
static void count_held(struct arrival_builder *b, bool all)
{
	uint64_t bin_ns = fit_bin_ns(b->held_ns, b->held, all);

	arrival_counts__set_split_levels(b->counts, split_levels_to(b->window_ns, bin_ns));
	for (uint32_t i = 0; i < b->held; i++)
		arrival_counts__add(b->counts, b->held_ns[i], b->held_kinds[i] & 1,
				    b->held_kinds[i] / 2);
	free(b->held_ns);
	b->held_ns = NULL;
}

uint32_t arrival_builder__add(struct arrival_builder *b, uint64_t time_ns, bool is_read,
			      unsigned int class)
{
	if (!b->held_ns)
		return arrival_counts__add(b->counts, time_ns, is_read, class);
	b->held_kinds[b->held] = (uint8_t)(is_read + 2 * class);
	b->held_ns[b->held++] = time_ns;
	if (b->held == b->held_max)
		count_held(b, false);
	return arrival_counts__window(b->counts, time_ns);
}

uint32_t arrival_builder__windows(const struct arrival_builder *b)
{
	return arrival_counts__windows(b->counts);
}

uint32_t arrival_builder__phases(const struct arrival_builder *b)
{
	return arrival_counts__phases(b->counts);
}

void arrival_builder__finish(struct arrival_builder *b, struct profile_arrival *arrival)
{
	if (b->held_ns)
		count_held(b, true);
	arrival_counts__finish(b->counts, arrival);
}
