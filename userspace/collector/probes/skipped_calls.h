/* SPDX-License-Identifier: MIT */
/*
 * Calls of probes that the kernel skipped, because the same program was already running on that CPU. Where several
 * programs stand at one tracepoint only that is lost which none of them was called for. Pure.
 */
#ifndef BLKREEL_COLLECTOR_PROBES_SKIPPED_CALLS_H
#define BLKREEL_COLLECTOR_PROBES_SKIPPED_CALLS_H

#include <stdint.h>

struct skipped_calls {
	uint64_t by_first; /* of all first programs */
	uint64_t by_all;   /* at most, of all programs of a tracepoint together */
};

/* Adds those of a tracepoint: of each of its `count` programs, which is not 0, the first one first. */
void skipped_calls_add(struct skipped_calls *s, const uint64_t *misses, unsigned int count);

/* At most so many were lost, where others have stood in for a first program `done_again` times. */
uint64_t skipped_calls_lost(const struct skipped_calls *s, uint64_t done_again);

#endif
