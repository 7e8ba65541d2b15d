/* SPDX-License-Identifier: MIT */
/*
 * Which intervals of a window have IOs. Mostly few do, the fewer the deeper the level, so counting
 * can skip the others. Intervals are numbered as in the trees: those of a level are 1 << level to 2
 * << level.
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_FILLED_PARTS_H
#define BLKREEL_PROFILE_ARRIVAL_FILLED_PARTS_H

#include "profile/profile.h"

struct filled_parts {
	uint32_t *parts; /* rising; those of a level from 1 << level on */
	uint32_t counts[PROFILE_SPLIT_LEVELS_MAX + 1];
	uint32_t split_levels;
	bool fell; /* a time was below the one before: the bins must be sorted */
};

int filled_parts_init(struct filled_parts *f, uint32_t split_levels); /* 0 or -ENOMEM */
void filled_parts_release(struct filled_parts *f);

static inline uint32_t *filled_parts_of(const struct filled_parts *f, uint32_t level)
{
	return f->parts + (1ull << level);
}

/* Notes the first IO in a bin of the window. */
static inline void filled_parts_note(struct filled_parts *f, uint64_t bin)
{
	uint32_t *parts = filled_parts_of(f, f->split_levels), *count = &f->counts[f->split_levels];
	uint32_t part = (uint32_t)((1ull << f->split_levels) + bin);

	f->fell |= *count && part < parts[*count - 1];
	parts[(*count)++] = part;
}

/* After all bins: finds the intervals above them. */
void filled_parts_climb(struct filled_parts *f);

/* Begins the next window. */
void filled_parts_clear(struct filled_parts *f);

#endif
