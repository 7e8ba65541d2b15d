// SPDX-License-Identifier: MIT
#include "profile/placement/zone_phases.h"

#include <math.h>
#include <string.h>

#define ROWS_MAX   6
#define WEIGHT_SUM 99
#define DIFFERENCE 0.5	/* of the shares of zones, beyond what chance makes of so few starts */
#define SHARE	   0.02 /* of all starts, that another row must place better */

/* Phases from `first` on that are alike. */
struct segment {
	uint32_t first;
	uint64_t zones[PROFILE_ZONES], sum;
};

/*
 * Half the sum of the differences of shares, 0 to 1, less what is expected of two samples of the
 * same.
 */
static double difference(const struct segment *a, const struct segment *b)
{
	double sum = 0, used = 0;

	if (!a->sum || !b->sum)
		return 0;
	for (unsigned int i = 0; i < PROFILE_ZONES; i++) {
		used += a->zones[i] || b->zones[i];
		sum += fabs((double)a->zones[i] / (double)a->sum -
			    (double)b->zones[i] / (double)b->sum);
	}
	return sum / 2 - sqrt(used * (1 / (double)a->sum + 1 / (double)b->sum) / (2 * M_PI));
}

static void join(struct segment *segments, uint32_t *count, uint32_t at)
{
	for (unsigned int i = 0; i < PROFILE_ZONES; i++)
		segments[at].zones[i] += segments[at + 1].zones[i];
	segments[at].sum += segments[at + 1].sum;
	memmove(&segments[at + 1], &segments[at + 2], (*count - at - 2) * sizeof(segments[0]));
	--*count;
}

/* Joins neighbours, the most alike first, until all that are left differ. */
static void join_alike(struct segment *segments, uint32_t *count, uint64_t all)
{
	while (*count > 1) {
		uint32_t best = 0;
		double least = 2;
		bool differ = *count <= ROWS_MAX;

		for (uint32_t i = 0; i + 1 < *count; i++) {
			const struct segment *a = &segments[i], *b = a + 1;
			double apart = difference(a, b);
			double share = (double)(a->sum < b->sum ? a->sum : b->sum) / (double)all;

			differ = differ && apart >= DIFFERENCE && apart * share >= SHARE;
			if (apart * share < least) {
				least = apart * share;
				best = i;
			}
		}
		if (differ)
			return;
		join(segments, count, best);
	}
}

/* Zones of next to nothing go: a segment begins and ends within a phase that is half another's. */
static void fill_row(const struct segment *s, uint32_t *row)
{
	for (unsigned int i = 0; i < PROFILE_ZONES; i++)
		row[i] = (uint32_t)((s->zones[i] * WEIGHT_SUM + s->sum / 2) / s->sum);
}

void zone_phases_fill(uint32_t counts[PROFILE_PHASES_MAX][PROFILE_ZONES], uint32_t phases,
		      uint32_t rows[PROFILE_PHASES_MAX][PROFILE_ZONES])
{
	struct segment segments[PROFILE_PHASES_MAX] = {{0}};
	uint32_t count = phases;
	uint64_t all = 0;

	for (uint32_t p = 0; p < phases; p++) {
		segments[p].first = p;
		for (unsigned int i = 0; i < PROFILE_ZONES; i++) {
			segments[p].zones[i] = counts[p][i];
			segments[p].sum += counts[p][i];
		}
		all += segments[p].sum;
	}
	if (!all)
		return;
	join_alike(segments, &count, all);
	for (uint32_t i = 0; count > 1 && i < count; i++)
		fill_row(&segments[i], rows[segments[i].first]);
}

static bool is_said(const uint32_t *weights)
{
	for (unsigned int i = 0; i < PROFILE_ZONES; i++)
		if (weights[i])
			return true;
	return false;
}

const uint32_t *zone_phases_row(const struct profile_stream *stream, uint32_t phase)
{
	for (uint32_t p = phase + 1; p-- > 0;)
		if (is_said(stream->zone_phases[p]))
			return stream->zone_phases[p];
	return stream->zones;
}
