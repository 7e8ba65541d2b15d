// SPDX-License-Identifier: MIT
#include "profile/operations/operations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/arrival/class_counts.h"
#include "profile/closed_values.h"
#include "profile/weights.h"
#include "profile/text/schema.h"

#define WITHIN_COARSE 5
/* Of the file, less what [error] takes. */
#define TEXT_BYTES_WANTED (15 * 1024)
#define STEPS		  16

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

static void coarsen_all(struct profile *p, uint32_t most)
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

/* Merges sizes of fewer IOs than `least` into the nearest size of the stream that has more. */
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
			if (apart(kept[j].bytes, s->sizes[i].bytes) <
			    apart(kept[best].bytes, s->sizes[i].bytes))
				best = j;
		kept[best].ios += s->sizes[i].ios;
	}
	memcpy(s->sizes, kept, count * sizeof(kept[0]));
	s->size_count = count;
}

/* All sizes that are rarer than one IO in so many. */
static void merge_rare(struct profile *p, uint64_t one_in)
{
	for (uint32_t i = 0; i < p->stream_count; i++)
		merge_sizes(&p->streams[i], p->ios / one_in);
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

static void thin_closed(struct profile *p)
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

/* From what matters least on. */
static void shorten_by(struct profile *p, unsigned int step)
{
	/* A size that is rarer than one IO in so many counts as the nearest that is not. */
	static const uint64_t rare[] = {20000, 14000, 10000, 7000, 5000, 3500, 2500};

	switch (step) {
	case 0:
		profile__drop_within(p, 1);
		coarsen_all(p, 999);
		thin_closed(p);
		break;
	case 1:
		profile__to_digits(p, false);
		break;
	case 2:
		coarsen_all(p, 249);
		thin_closed(p);
		break;
	case 3:
		profile__to_digits(p, true);
		thin_closed(p);
		break;
	case 4:
		profile__thin_within(p);
		break;
	case STEPS - 4:
		profile__drop_bursts(p, PROFILE_PINNED_BURSTS_MAX / 2);
		break;
	case STEPS - 3:
		profile__drop_bursts(p, PROFILE_PINNED_BURSTS_MAX / 4);
		break;
	case STEPS - 2:
		merge_rare(p, 2000);
		break;
	case STEPS - 1:
		p->without_comments = true;
		break;
	default:
		merge_rare(p, rare[step - 5]);
	}
}

int profile__shorten(struct profile *p, char **text, size_t *text_bytes)
{
	int err = profile__save_text(p, text, text_bytes);

	for (unsigned int step = 0; !err && step<STEPS && * text_bytes> TEXT_BYTES_WANTED; step++) {
		shorten_by(p, step);
		free(*text);
		*text = NULL;
		err = profile__save_text(p, text, text_bytes);
	}
	return err;
}
