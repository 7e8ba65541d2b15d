/* SPDX-License-Identifier: MIT */
/* Samples added up: a longer interval, or the whole run. */
#ifndef BLKREEL_COLLECTOR_COUNTERS_LIVE_TOTAL_H
#define BLKREEL_COLLECTOR_COUNTERS_LIVE_TOTAL_H

#include "collector/counters/live_sample.h"

/* A sum begins as zeroes. Its devices are its own: to be released. 0 or -ENOMEM. */
int live_total__add(struct live_sample *total, const struct live_sample *sample);
void live_total__release(struct live_sample *total);

#endif
