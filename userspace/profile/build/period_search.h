/* SPDX-License-Identifier: MIT */
/* Finds the period that the arrivals of a trace repeat after. */
#ifndef BLKREEL_PROFILE_BUILD_PERIOD_SEARCH_H
#define BLKREEL_PROFILE_BUILD_PERIOD_SEARCH_H

#include "profile/build/coarse_counts.h"
#include "profile/profile.h"

/*
 * Sets the period, and the shapes of the kinds of IOs that have it; none if the IOs say no more
 * than chance would. 0 or -ENOMEM.
 */
int period_search(const struct coarse_counts *counts, uint64_t duration_ns, uint32_t phases,
		  struct profile_arrival *arrival);

#endif
