/* SPDX-License-Identifier: MIT */
/*
 * The busiest times of a device, and how long a volume with a limit would hold its IOs back.
 *
 * A window moves in steps of a tenth of its length. A limit lets one IO after the other through, in the order and
 * at the times at which they came, and saves nothing up while the load is low.
 */
#ifndef BLKREEL_WORKLOAD_FIGURES_PEAK_LOAD_H
#define BLKREEL_WORKLOAD_FIGURES_PEAK_LOAD_H

#include <stdint.h>

#include "base/histogram.h"

#define PEAK_WINDOWS 5u
#define PEAK_LIMITS  20u

extern const uint64_t peak_windows_ns[PEAK_WINDOWS]; /* rising */

/* The most in one window; when that began, on the clock of the rows. */
struct peak {
	uint64_t ios, ios_at_ns, bytes, bytes_at_ns;
};

/* One of the two rates is 0. */
struct peak_limit {
	uint64_t ios_per_s, bytes_per_s;
	uint64_t held_ios; /* that came while earlier ones still waited, or too soon after one */
	uint64_t p99_ns;   /* of the waits of all IOs, those that did not wait with 0 */
	uint64_t longest_ns;
};

struct peak_figures {
	uint64_t ios, bytes;
	struct peak windows[PEAK_WINDOWS];
	struct peak_limit limits[PEAK_LIMITS]; /* IOs a second, then bytes a second, each rising */
};

struct peak_load;

struct peak_load *peak_load__new(void);	   /* NULL: no memory */
void peak_load__free(struct peak_load *p); /* NULL is allowed */

/* An IO of `bytes` that came at time_ns: in the order of these times, else it counts as if it came with the one
 * before. 0 or -ENOMEM. */
int peak_load__add(struct peak_load *p, uint64_t time_ns, uint64_t bytes);

void peak_load__finish(struct peak_load *p, struct peak_figures *result);

#endif
