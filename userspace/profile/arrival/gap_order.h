/* SPDX-License-Identifier: MIT */
/*
 * Which gaps inside a bin follow which: without it short gaps come scattered among long ones, and what were
 * hundreds of IOs in a row, microseconds apart, is spread over the bin.
 */
#ifndef BLKREEL_PROFILE_ARRIVAL_GAP_ORDER_H
#define BLKREEL_PROFILE_ARRIVAL_GAP_ORDER_H

#include <stdbool.h>

#include "profile/classes.h"
#include "profile/profile.h"

#define GAP_GROUPS_MAX 9
#define GAP_LIFT_EVEN  256u /* as likely as after any other gap */

struct gap_order {
	unsigned int groups;		       /* of octaves of the gap before; at least 1 */
	uint8_t group_of[PROFILE_GAP_OCTAVES]; /* the octave of a gap */
	/* How much likelier an octave is after a group. */
	uint32_t lifts[GAP_GROUPS_MAX][PROFILE_GAP_OCTAVES];
	uint32_t even[PROFILE_GAP_OCTAVES]; /* all GAP_LIFT_EVEN */
};

/* Ready to draw by what the profile says; one group where it says nothing. */
void gap_order_init(struct gap_order *order, const struct profile_arrival *arrival);

static inline unsigned int gap_order_group(const struct gap_order *order, uint64_t before_ns)
{
	return order->groups > 1 ? order->group_of[gap_octave(before_ns)] : 0;
}

#endif
