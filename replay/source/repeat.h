/* SPDX-License-Identifier: MIT */
/* A source several times over, one after the other on one clock. */
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

/* The first round is begun when it is asked for. 0 or -ENOMEM. */
int repeat__create(const struct repeat_options *options, struct replay_source **source);

/*
 * From the start of a round to the next, so that the rate goes on: the last IO is followed by the
 * first after the mean of the gaps.
 */
uint64_t repeat__period_ns(uint64_t ios, uint64_t last_due_ns);

#endif
