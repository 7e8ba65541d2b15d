/* SPDX-License-Identifier: MIT */
/*
 * Calls of probes that the kernel skipped because the same program was already running on that CPU.
 * If several copies of a program share a tracepoint, an event is lost only if all of them were
 * skipped.
 */
#ifndef BLKREEL_COLLECTOR_PROBES_COUNTS_H
#define BLKREEL_COLLECTOR_PROBES_COUNTS_H

#include <stdint.h>

struct skipped_calls {
	uint64_t by_first; /* skipped calls of the first programs */
	uint64_t by_all;   /* upper bound of events that all copies missed */
};

/* Adds the skipped calls of one tracepoint: `count` (at least 1) numbers, one for each copy, the
 * first program's first. */
void skipped_calls_add(struct skipped_calls *s, const uint64_t *misses, unsigned int count);

/* The upper bound of lost events, when copies stood in for a first program `done_again` times. */
uint64_t skipped_calls_lost(const struct skipped_calls *s, uint64_t done_again);

#endif
