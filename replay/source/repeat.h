/* SPDX-License-Identifier: MIT */
/* Repeats a source: rounds follow each other on one clock. */
#ifndef BLKREEL_REPLAY_SOURCE_REPEAT_H
#define BLKREEL_REPLAY_SOURCE_REPEAT_H

#include <stdint.h>

#include "replay/source/source.h"

struct repeat_options {
	uint64_t rounds;    /* >= 1 */
	uint64_t period_ns; /* from the start of a round to that of the next */
	/* Gives the source from its start, and frees *source, that of the round before, if it is
	 * not NULL. 0 or negative errno, with *source NULL. */
	int (*again)(void *context, struct replay_source **source);
	void *context;
};

/* Reads nothing yet: the first round starts with the first IO. 0 or -ENOMEM. */
int repeat__create(const struct repeat_options *options, struct replay_source **source);

/*
 * The time from the start of a round to the next one. The mean gap separates the last IO from the
 * first, so that the rate stays.
 */
uint64_t repeat__period_ns(uint64_t ios, uint64_t last_due_ns);

#endif
