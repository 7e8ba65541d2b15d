/* SPDX-License-Identifier: MIT */
/*
 * Pinned bursts in a profile's text: the share that each interval around a burst has of the next
 * larger one, as a digit: 61 for all of its IOs, 0 for none. docs/profile-format.md, "pinned_bursts".
 */
#ifndef BLKREEL_PROFILE_TEXT_PINNED_BURSTS_H
#define BLKREEL_PROFILE_TEXT_PINNED_BURSTS_H

#include "profile/text/parser.h"

/*
 * The digits, in place of numbers of IOs, that burst_from_digits() turns into nearly this burst;
 * `a` holds its window.
 */
void burst_to_digits(const struct profile_arrival *a, const struct profile_pinned_burst *burst,
		     struct profile_pinned_burst *digits);

/* Fills ios, reads and size_classes of a burst whose window and `sized` are set. */
void burst_from_digits(const struct profile_arrival *a, const struct profile_pinned_burst *digits,
		       struct profile_pinned_burst *burst);

WORD_READER(pinned_bursts);
WORD_WRITER(pinned_bursts);

/* After the last key: checks the digits that were read, and makes bursts of them. 0 or -EINVAL. */
int pinned_bursts_check(struct parser *r);

#endif
