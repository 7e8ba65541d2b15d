/* SPDX-License-Identifier: MIT */
/*
 * The busiest moments in a profile's text: what each interval around one has of the next larger one, as a
 * digit. docs/profile-format.md, "pinned_bursts".
 */
#ifndef BLKREEL_PROFILE_TEXT_BURST_DIGITS_H
#define BLKREEL_PROFILE_TEXT_BURST_DIGITS_H

#include "profile/profile.h"

/* Of each splitting: 61 for all of what the larger interval has, 0 for nothing. */
struct burst_digits {
	uint32_t ios[PROFILE_SPLIT_LEVELS_MAX];
	uint32_t reads[PROFILE_SPLIT_LEVELS_MAX]; /* 0 without kinds_known */
	/* Of the neighbourhood's reads and others, and of those above the first size: 0 unless `sized`. */
	uint32_t size_classes[PROFILE_SIZE_CLASSES];
};

/* Those that burst_from_digits() makes nearly the burst of; `a` says what its window holds. */
void burst_to_digits(const struct profile_arrival *a, const struct profile_pinned_burst *burst,
		     struct burst_digits *digits);

/* Fills `ios`, `reads` and `size_class` of a burst of which window and `sized` are set. */
void burst_from_digits(const struct profile_arrival *a, const struct burst_digits *digits,
		       struct profile_pinned_burst *burst);

#endif
