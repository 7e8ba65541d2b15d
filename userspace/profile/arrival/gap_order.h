/* SPDX-License-Identifier: MIT */
/*
 * Gaps given the previous gap. Without this, short gaps come scattered among long ones, and
 * hundreds of IOs in a row, microseconds apart, are spread over the bin.
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_GAP_ORDER_H
#define BLKREEL_PROFILE_ARRIVAL_GAP_ORDER_H

#include <stdbool.h>

#include "profile/classes.h"
#include "profile/profile.h"

#define GAP_GROUPS_MAX 9
#define GAP_LIFT_EVEN  256u /* as likely as after any other gap */

struct gap_order {
	unsigned int groups;		       /* of octaves of the previous gap; at least 1 */
	uint8_t group_of[PROFILE_GAP_OCTAVES]; /* group of an octave of the previous gap */
	/* How much likelier an octave is after a group; GAP_LIFT_EVEN is 1. */
	uint32_t lifts[GAP_GROUPS_MAX][PROFILE_GAP_OCTAVES];
	uint32_t even[PROFILE_GAP_OCTAVES]; /* all GAP_LIFT_EVEN */
};

/* Prepares the factors; one group if the profile has no "gap_after". */
void gap_order_init(struct gap_order *order, const struct profile_arrival *arrival);

static inline unsigned int gap_order_group(const struct gap_order *order, uint64_t before_ns)
{
	return order->groups > 1 ? order->group_of[gap_octave(before_ns)] : 0;
}

#endif
