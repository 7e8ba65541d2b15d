/* SPDX-License-Identifier: MIT */
/* Counts what the arrival model of a profile needs, from times that never fall. */
#ifndef BLKREEL_PROFILE_BUILD_ARRIVAL_H
#define BLKREEL_PROFILE_BUILD_ARRIVAL_H

#include "profile/profile.h"

struct arrival_builder;

/*
 * `above_bytes`: lower limits of the size classes, as in struct profile_size_class. 0 or -ENOMEM.
 */
int arrival_builder__create(uint64_t ios, uint64_t duration_ns,
			    const uint64_t above_bytes[PROFILE_SIZE_CLASSES],
			    struct arrival_builder **builder);
/* The same with a fixed number of split levels. */
int arrival_builder__create_with_levels(uint64_t ios, uint64_t duration_ns, uint32_t split_levels,
					struct arrival_builder **builder);

/* Windows of a profile, and levels until an interval is not longer than a bin. */
uint32_t windows_for(uint64_t ios, uint64_t duration_ns);
uint32_t split_levels_to(uint64_t window_ns, uint64_t bin_ns);

void arrival_builder__free(struct arrival_builder *b); /* NULL is allowed */

/* Returns the window of the time, which lies in [0, duration_ns]. `class`: the size class. */
uint32_t arrival_builder__add(struct arrival_builder *b, uint64_t time_ns, bool is_read,
			      unsigned int class);
uint32_t arrival_builder__windows(const struct arrival_builder *b);
uint32_t arrival_builder__phases(const struct arrival_builder *b);

void arrival_builder__finish(struct arrival_builder *b, struct profile_arrival *arrival);

#endif
