/* SPDX-License-Identifier: MIT */
/*
 * Builds the arrival model of a profile from times that never fall: the first times decide how long
 * a bin is.
 */
#ifndef BLKREEL_PROFILE_BUILD_ARRIVAL_H
#define BLKREEL_PROFILE_BUILD_ARRIVAL_H

#include "profile/build/arrival_counts.h"
#include "profile/profile.h"

struct arrival_builder;

/* As arrival_counts__create(). 0 or -ENOMEM. */
int arrival_builder__create(uint64_t ios, uint64_t duration_ns, struct time_grid grid,
			    const uint64_t above_bytes[PROFILE_SIZE_CLASSES],
			    struct arrival_builder **builder);
void arrival_builder__free(struct arrival_builder *b); /* NULL is allowed */

/* Adds an IO and returns its window; the time lies in [0, duration_ns]. `class`: the size class. */
uint32_t arrival_builder__add(struct arrival_builder *b, uint64_t time_ns, bool is_read,
			      unsigned int class);

/* 0 or -ENOMEM. */
int arrival_builder__finish(struct arrival_builder *b, struct profile_arrival *arrival);

#endif
