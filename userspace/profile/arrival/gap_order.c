// SPDX-License-Identifier: MIT
#include "profile/arrival/gap_order.h"

#include <string.h>

#define LIFT_MOST (1u << 14)

static uint64_t row_sum(const uint32_t *row)
{
	uint64_t sum = 0;

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		sum += row[o];
	return sum;
}

static void set_lifts(uint32_t *lifts, const uint32_t *row, const uint64_t *all, uint64_t all_sum)
{
	uint64_t sum = row_sum(row);

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++) {
		unsigned __int128 lift = GAP_LIFT_EVEN;

		if (all[o])
			lift = (unsigned __int128)row[o] * all_sum * GAP_LIFT_EVEN /
			       ((unsigned __int128)sum * all[o]);
		lifts[o] = lift < LIFT_MOST ? (uint32_t)lift : LIFT_MOST;
	}
}

void gap_order_init(struct gap_order *order, const struct profile_arrival *arrival)
{
	uint64_t all[PROFILE_GAP_OCTAVES] = {0}, all_sum = 0;

	*order = (struct gap_order){0};
	for (unsigned int before = 0; before < PROFILE_GAP_OCTAVES; before++)
		for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
			all[o] += arrival->gap_after[before][o];
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		all_sum += all[o];
	for (unsigned int before = 0; before < PROFILE_GAP_OCTAVES; before++) {
		if (order->groups < GAP_GROUPS_MAX && row_sum(arrival->gap_after[before]))
			set_lifts(order->lifts[order->groups++], arrival->gap_after[before], all,
				  all_sum);
		order->group_of[before] = (uint8_t)(order->groups ? order->groups - 1 : 0);
	}
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		order->even[o] = GAP_LIFT_EVEN;
	if (order->groups)
		return;
	order->groups = 1;
	memcpy(order->lifts[0], order->even, sizeof(order->even));
}
