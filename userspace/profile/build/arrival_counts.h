/* SPDX-License-Identifier: MIT */
/* Counts what the arrival model of a profile needs, from times that never fall. */
#ifndef BLKREEL_PROFILE_BUILD_ARRIVAL_COUNTS_H
#define BLKREEL_PROFILE_BUILD_ARRIVAL_COUNTS_H

#include "profile/build/window_counts.h"

struct arrival_counts;

/* As fine as so many IOs allow, at most 1/2^window_shift of the windows and phases that a profile can have. */
struct time_grid time_grid_for(uint64_t ios, uint64_t duration_ns, unsigned int window_shift);

/* Levels until an interval is not longer than a bin. */
uint32_t split_levels_to(uint64_t window_ns, uint64_t bin_ns);

/*
 * `above_bytes`: lower limits of the size classes, as in struct profile_size_class. 0 or -ENOMEM.
 */
int arrival_counts__create(struct time_grid grid, uint64_t duration_ns, uint32_t split_levels,
			   const uint64_t above_bytes[PROFILE_SIZE_CLASSES],
			   struct arrival_counts **counts);
void arrival_counts__free(struct arrival_counts *c); /* NULL is allowed */

/* Before the first IO: sets fewer levels. */
void arrival_counts__set_split_levels(struct arrival_counts *c, uint32_t split_levels);

/* The window of a time in [0, duration_ns]. */
uint32_t arrival_counts__window(struct arrival_counts *c, uint64_t time_ns);

/* Counts an IO and returns its window. `class`: the size class. */
uint32_t arrival_counts__add(struct arrival_counts *c, uint64_t time_ns, bool is_read,
			     unsigned int class);

/* As window_counts__finish(), with the gaps. */
int arrival_counts__finish(struct arrival_counts *c, bool with_period,
			   struct profile_arrival *arrival);

#endif
