/* SPDX-License-Identifier: MIT */
/*
 * Pinned bursts in a profile's text: the share that each interval around a burst has of the next
 * larger one, as a digit. docs/profile-format.md, "pinned_bursts".
 */
#ifndef BLKREEL_PROFILE_TEXT_BURST_DIGITS_H
#define BLKREEL_PROFILE_TEXT_BURST_DIGITS_H

#include "profile/profile.h"

/* Of each level: 61 for all IOs of the larger interval, 0 for none. */
struct burst_digits {
	uint32_t ios[PROFILE_SPLIT_LEVELS_MAX];
	uint32_t reads[PROFILE_SPLIT_LEVELS_MAX]; /* 0 without kinds_known */
	/*
	 * Of the neighbourhood's reads and others, and of those above the first size; 0 unless
	 * `sized`.
	 */
	uint32_t size_classes[PROFILE_SIZE_CLASSES];
};

/* The digits that burst_from_digits() turns into nearly this burst; `a` holds its window. */
void burst_to_digits(const struct profile_arrival *a, const struct profile_pinned_burst *burst,
		     struct burst_digits *digits);

/* Fills ios, reads and size_classes of a burst whose window and `sized` are set. */
void burst_from_digits(const struct profile_arrival *a, const struct burst_digits *digits,
		       struct profile_pinned_burst *burst);

#endif
