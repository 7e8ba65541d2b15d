#include "profile/gap_order.h"

#include <math.h>
#include <string.h>

#include "profile/build_arrival.h"

#define WEIGHT_SUM  9999 /* of all rows */
#define ROWS_WANTED 8
#define GAPS_LEAST  256
#define APART_LEAST 0.1 /* mean distance of a row from all gaps alike, 0 to 1 */
#define LIFT_MOST   (1u << 14)

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
			all[o] += arrival->after[before][o];
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		all_sum += all[o];
	for (unsigned int before = 0; before < PROFILE_GAP_OCTAVES; before++) {
		if (order->groups < GAP_GROUPS_MAX && row_sum(arrival->after[before]))
			set_lifts(order->lifts[order->groups++], arrival->after[before], all,
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

/* The sum of a row of counts, which is added to `into`. */
static uint64_t add_row(uint64_t *into, const uint64_t *row)
{
	uint64_t sum = 0;

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++) {
		into[o] += row[o];
		sum += row[o];
	}
	return sum;
}

/* Half the sum of the differences of shares: 0 the same, 1 nothing in common. */
static double apart(const uint64_t *row, uint64_t row_sum_of, const uint64_t *all, uint64_t all_sum)
{
	double sum = 0;

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		sum += fabs((double)row[o] / (double)row_sum_of - (double)all[o] / (double)all_sum);
	return sum / 2;
}

void gap_order_fill(const uint64_t counts[PROFILE_GAP_OCTAVES][PROFILE_GAP_OCTAVES],
		    uint32_t rows[PROFILE_GAP_OCTAVES][PROFILE_GAP_OCTAVES])
{
	uint64_t merged[PROFILE_GAP_OCTAVES][PROFILE_GAP_OCTAVES] = {0},
		 sums[PROFILE_GAP_OCTAVES] = {0};
	uint64_t all[PROFILE_GAP_OCTAVES] = {0}, all_sum = 0;
	unsigned int row = 0;
	double distance = 0;

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		all_sum += add_row(all, counts[o]);
	if (all_sum < GAPS_LEAST)
		return;
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++) {
		if (sums[row] >= all_sum / ROWS_WANTED)
			row = o;
		sums[row] += add_row(merged[row], counts[o]);
	}
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		if (sums[o])
			distance += apart(merged[o], sums[o], all, all_sum) * (double)sums[o];
	if (distance < APART_LEAST * (double)all_sum)
		return;
	weights_from_counts(merged[0], PROFILE_GAP_OCTAVES * PROFILE_GAP_OCTAVES, WEIGHT_SUM,
			    rows[0]);
}
