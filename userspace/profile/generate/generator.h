/* SPDX-License-Identifier: MIT */
/*
 * IOs out of a profile, one by one in order of time. Integer arithmetic only: the same profile
 * and seed give the same rows on every machine.
 */
#ifndef BLKREEL_PROFILE_GENERATE_GENERATOR_H
#define BLKREEL_PROFILE_GENERATE_GENERATOR_H

#include "profile/profile.h"

/* An IO of a profile. */
struct closed_row {
	struct io_row row; /* of the generator; with a closed loop completed_ns is set, too */
	uint32_t stream;   /* index */
	uint32_t kind;	   /* index, of tasks */
	uint32_t task;	   /* 0: the profile says no closed loop */
	bool kernel;	   /* a thread of the kernel submitted it */
};

struct profile_generator;

/* `p` must outlive the generator and have passed profile__check(). 0 or -ENOMEM. */
int profile_generator__create(const struct profile *p, uint64_t seed, struct profile_generator **g);

/*
 * Goes on until `duration_ns`: over and over, each time after the mean gap, with the same
 * arrivals' model and new numbers; or stops there when the profile is longer. The memory stays
 * bounded. One without duration is not repeated.
 */
void profile_generator__repeat(struct profile_generator *g, uint64_t duration_ns);

/*
 * 1: *row is the next IO: created_ns is the time since the first IO, task the stream (from 1),
 * device 1; issued_ns and completed_ns are 0. 0: the end. Negative errno: -ENOMEM.
 */
int profile_generator__next(struct profile_generator *g, struct io_row *row);

void profile_generator__free(struct profile_generator *g); /* NULL is allowed */

#endif
