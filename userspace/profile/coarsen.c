#include <string.h>

#include "profile/closed_values.h"
#include "profile/profile.h"

static void coarsen(uint32_t *weights, unsigned int count, uint32_t most)
{
	uint64_t sum = 0;
	uint32_t largest = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += weights[i];
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

static void coarsen_arrival(struct profile_arrival *a, uint32_t most)
{
	for (unsigned int g = 0; g < PROFILE_SPLIT_GROUPS; g++)
		for (unsigned int c = 0; c < PROFILE_SPLIT_CLASSES; c++)
			coarsen(a->splits[g][c], PROFILE_SPLIT_BINS, most);
	for (unsigned int c = 0; c < PROFILE_GAP_CLASSES; c++) {
		coarsen(a->gaps[c], PROFILE_GAP_OCTAVES, most);
		coarsen(a->enters[c], PROFILE_GAP_OCTAVES, most);
	}
	coarsen(a->all_gaps, PROFILE_GAP_OCTAVES, most);
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++)
		coarsen(a->gap_steps[o], PROFILE_GAP_STEPS, most);
}

void profile__coarsen(struct profile *p, uint32_t most)
{
	coarsen_arrival(&p->arrival, most);
	for (uint32_t i = 0; i < p->stream_count; i++) {
		struct profile_stream *s = &p->streams[i];

		coarsen(s->next, PROFILE_STREAMS_MAX, most);
		for (unsigned int size = 0; size < PROFILE_REUSE_SIZES; size++)
			coarsen(s->reuse[size], PROFILE_REUSE_BINS, most);
		coarsen(s->zones, PROFILE_ZONES, most);
		for (uint32_t phase = 0; phase < PROFILE_PHASES_MAX; phase++)
			coarsen(s->zone_phases[phase], PROFILE_ZONES, most);
		coarsen(s->near, PROFILE_NEAR_BINS, most);
		coarsen(s->aligned, PROFILE_ALIGNMENTS, most);
		coarsen(s->ranks, PROFILE_RANK_BINS, most);
	}
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

void profile__thin_closed(struct profile *p)
{
	struct profile_closed *c = &p->closed;

	for (unsigned int i = 0; i < CLOSED_OPS * CLOSED_SIZES; i++)
		closed_values_thin(&c->latency_ns[i / CLOSED_SIZES][i % CLOSED_SIZES]);
	for (uint32_t i = 0; i < c->kind_count; i++) {
		closed_values_thin(&c->kinds[i].think_ns);
		closed_values_thin(&c->kinds[i].cycle_ns);
		closed_values_thin(&c->kinds[i].pace_ns);
	}
}
