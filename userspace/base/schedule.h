/* SPDX-License-Identifier: MIT */
/* When something is due that is done every so often. */
#ifndef BLKREEL_BASE_SCHEDULE_H
#define BLKREEL_BASE_SCHEDULE_H

#include <stdint.h>

/*
 * The next time to do what was due at due_ns and was done by now_ns, every step_ns. Times stay
 * multiples of the step after the first, so that a late one delays no other. Those that are over
 * are left out, and with them one that would come within half a step from now.
 */
static inline uint64_t schedule_next_ns(uint64_t due_ns, uint64_t step_ns, uint64_t now_ns)
{
	uint64_t late_ns = now_ns > due_ns ? now_ns - due_ns : 0;
	uint64_t over = late_ns < step_ns ? 0 : (late_ns + step_ns / 2) / step_ns;

	return due_ns + (over + 1) * step_ns;
}

#endif
