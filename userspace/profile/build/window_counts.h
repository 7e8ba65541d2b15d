/* SPDX-License-Identifier: MIT */
/*
 * Counts what the IOs of a window's intervals are and how they split, while a profile is built: all,
 * reads and others, and size classes. docs/profile-format.md, "[arrival]".
 */
#ifndef BLKREEL_PROFILE_BUILD_WINDOW_COUNTS_H
#define BLKREEL_PROFILE_BUILD_WINDOW_COUNTS_H

#include "profile/profile.h"

/* Equal parts of the duration: windows count IOs, phases, at most as many, all else. */
struct time_grid {
	uint32_t windows, phases;
};

struct window_counts;

/*
 * `above_bytes`: lower limits of the size classes, as in struct profile_size_class. 0 or -ENOMEM.
 */
int window_counts__create(struct time_grid grid, uint64_t duration_ns, uint32_t split_levels,
			  const uint64_t above_bytes[PROFILE_SIZE_CLASSES],
			  struct window_counts **counts);
void window_counts__free(struct window_counts *w); /* NULL is allowed */

/* Before the first IO: sets fewer levels. */
void window_counts__set_split_levels(struct window_counts *w, uint32_t split_levels);

/* Adds an IO to a bin of the window that is being filled. `class`: the size class. */
void window_counts__add(struct window_counts *w, uint64_t bin, bool is_read, unsigned int class);

/* After all IOs of a window. */
void window_counts__close(struct window_counts *w, uint32_t window);

/* Fills all of the arrivals but gaps; seeks a period, if wanted. 0 or -ENOMEM. */
int window_counts__finish(struct window_counts *w, bool with_period,
			  struct profile_arrival *arrival);

#endif
