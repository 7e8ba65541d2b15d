/* SPDX-License-Identifier: MIT */
/* Adds up samples, for a longer interval or the whole run. */
#ifndef BLKREEL_COLLECTOR_COUNTERS_LIVE_TOTAL_H
#define BLKREEL_COLLECTOR_COUNTERS_LIVE_TOTAL_H

#include "collector/counters/live_sample.h"

/* Adds a sample. `total` begins as zeroes and owns its devices: release it with
 * live_total__release(). 0 or -ENOMEM. */
int live_total__add(struct live_sample *total, const struct live_sample *sample);
/* Frees the devices and zeroes the sum. */
void live_total__release(struct live_sample *total);

#endif
