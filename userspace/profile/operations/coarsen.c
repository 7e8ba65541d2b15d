// SPDX-License-Identifier: MIT
#include <string.h>

#include "profile/arrival/class_counts.h"
#include "profile/closed_values.h"
#include "profile/digits.h"
#include "profile/profile.h"
#include "profile/text/schema.h"

#define WITHIN_COARSE 5

static void coarsen(uint32_t *weights, unsigned int count, uint32_t most)
{
	uint64_t sum = sum_of_weights(weights, count);
	uint32_t largest = 0;

	if (sum <= most)
		return;
	for (unsigned int i = 0; i < count; i++) {
		if (weights[i] > weights[largest])
			largest = i;
		weights[i] = (uint32_t)(((uint64_t)weights[i] * most + sum / 2) / sum);
	}
	if (!weights[largest])
		weights[largest] = 1;
}

/* The largest becomes the largest digit; `most` does not matter. */
static void to_digits(uint32_t *weights, unsigned int count, uint32_t most)
{
	uint64_t largest = 0;

	(void)most;
	for (unsigned int i = 0; i < count; i++)
		largest = weights[i] > largest ? weights[i] : largest;
	for (unsigned int i = 0; i < count && largest > DIGIT_MAX; i++)
		weights[i] = (uint32_t)((weights[i] * (uint64_t)DIGIT_MAX + largest / 2) / largest);
}

typedef void (*table_change)(uint32_t *weights, unsigned int count, uint32_t most);

static void change_arrival(struct profile *p, table_change change, uint32_t most)
{
	schema_change_weights(p, SCHEMA_ARRIVAL, 0, change, most);
}

static void change_streams(struct profile *p, table_change change, uint32_t most)
{
	for (uint32_t i = 0; i < p->stream_count; i++)
		schema_change_weights(p, SCHEMA_STREAM, i, change, most);
}

void profile__coarsen(struct profile *p, uint32_t most)
{
	change_arrival(p, coarsen, most);
	change_streams(p, coarsen, most);
}

void profile__to_digits(struct profile *p, bool arrival)
{
	if (arrival)
		change_arrival(p, to_digits, 0);
	change_streams(p, to_digits, 0);
}

/* Where gaps lie in an octave, by every second value: the last one stays. */
static void thin_within(struct profile_arrival *a, unsigned int octave)
{
	struct closed_values *within = &a->gap_within[octave];
	uint32_t kept = 0;

	if (within->count < WITHIN_COARSE)
		return;
	for (uint32_t i = (within->count - 1) % 2; i < within->count; i += 2)
		within->at[kept++] = within->at[i];
	within->count = kept;
}

void profile__thin_within(struct profile *p)
{
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		thin_within(&p->arrival, o);
}

void profile__drop_within(struct profile *p, uint32_t permille)
{
	struct profile_arrival *a = &p->arrival;
	uint64_t sum = sum_of_weights(a->gap_histogram, PROFILE_GAP_OCTAVES);

	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		if (1000ull * a->gap_histogram[o] < permille * sum)
			a->gap_within[o].count = 0;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void merge_sizes(struct profile_stream *s, uint64_t least)
{
	struct profile_size kept[PROFILE_SIZES_MAX];
	uint32_t count = 0;

	for (uint32_t i = 0; i < s->size_count; i++)
		if (s->sizes[i].ios >= least)
			kept[count++] = s->sizes[i];
	if (!count)
		return;
	for (uint32_t i = 0; i < s->size_count; i++) {
		uint32_t best = 0;

		if (s->sizes[i].ios >= least)
			continue;
		for (uint32_t j = 1; j < count; j++)
			if (distance(kept[j].bytes, s->sizes[i].bytes) <
			    distance(kept[best].bytes, s->sizes[i].bytes))
				best = j;
		kept[best].ios += s->sizes[i].ios;
	}
	memcpy(s->sizes, kept, count * sizeof(kept[0]));
	s->size_count = count;
}

void profile__merge_sizes(struct profile *p, uint64_t least)
{
	for (uint32_t i = 0; i < p->stream_count; i++)
		merge_sizes(&p->streams[i], least);
}

static uint64_t neighbourhood_ios(const struct profile_arrival *a, uint32_t index)
{
	return a->pinned_bursts[index].ios[burst_neighbourhood_level(a->split_levels) - 1];
}

void profile__drop_bursts(struct profile *p, uint32_t most)
{
	struct profile_arrival *a = &p->arrival;

	while (a->pinned_burst_count > most) {
		uint32_t least = 0;

		for (uint32_t i = 1; i < a->pinned_burst_count; i++)
			if (neighbourhood_ios(a, i) <= neighbourhood_ios(a, least))
				least = i;
		memmove(&a->pinned_bursts[least], &a->pinned_bursts[least + 1],
			(--a->pinned_burst_count - least) * sizeof(a->pinned_bursts[0]));
	}
}

void profile__thin_closed(struct profile *p)
{
	struct profile_closed *c = &p->closed;

	for (unsigned int i = 0; i < CLOSED_OPS * CLOSED_SIZES; i++)
		closed_values_thin(&c->latency_ns[i / CLOSED_SIZES][i % CLOSED_SIZES]);
	for (uint32_t i = 0; i < c->kind_count; i++) {
		closed_values_thin(&c->kinds[i].think_ns);
		closed_values_thin(&c->kinds[i].cycle_ns);
		closed_values_thin(&c->kinds[i].open_gap_ns);
	}
}
