/* SPDX-License-Identifier: MIT */
/* The time now, in ns, as traces hold it. */
#ifndef BLKREEL_BASE_CLOCK_H
#define BLKREEL_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "base/units.h"

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* CLOCK_REALTIME at a time of CLOCK_MONOTONIC a moment ago. */
static inline uint64_t clock_wall_ns(uint64_t monotonic_ns)
{
	return clock_ns(CLOCK_REALTIME) - (clock_ns(CLOCK_MONOTONIC) - monotonic_ns);
}

#endif
