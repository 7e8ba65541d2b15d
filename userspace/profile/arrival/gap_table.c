// SPDX-License-Identifier: MIT
#include "profile/arrival/gap_table.h"

#include "profile/classes.h"

#define WHOLE 1024u /* of a segment, and of an octave's weight */

static uint64_t octave_begin(unsigned int octave)
{
	return octave ? 1ull << (octave - 1) : 0;
}

static uint64_t octave_width(unsigned int octave)
{
	return octave ? octave_begin(octave) : 1;
}

/* Equal shares between neighbouring values, each the first ns of its 1024th of the octave. */
static void from_within(struct gap_octave_segments *s, unsigned int octave,
			const struct closed_values *within)
{
	uint64_t low = octave_begin(octave), width = octave_width(octave);

	for (uint32_t i = 0; i + 1 < within->count; i++) {
		uint64_t begin = part_begin(width, within->at[i], PROFILE_GAP_WITHIN_PARTS);
		uint64_t end = part_begin(width, within->at[i + 1] + 1, PROFILE_GAP_WITHIN_PARTS);

		s->segments[s->count++] = (struct gap_segment){
			.begin_ns = low + begin,
			.width_ns = end > begin ? end - begin : 1,
		};
	}
}

void gap_table_init(struct gap_table *t, const struct profile_arrival *arrival)
{
	for (unsigned int o = 0; o < PROFILE_GAP_OCTAVES; o++) {
		struct gap_octave_segments *s = &t->octaves[o];

		*s = (struct gap_octave_segments){0};
		if (arrival->gap_within[o].count > 1)
			from_within(s, o, &arrival->gap_within[o]);
		else
			s->segments[s->count++] =
				(struct gap_segment){octave_begin(o), octave_width(o)};
	}
}

uint64_t gap_table_draw(const struct gap_table *t, unsigned int octave, struct prng *random)
{
	const struct gap_octave_segments *s = &t->octaves[octave];
	const struct gap_segment *segment = &s->segments[prng_below(random, s->count)];

	return segment->begin_ns + prng_below(random, segment->width_ns);
}

/* The part of a segment that lies in [from, to], in 1024ths, at least 1 if there is any. */
static uint64_t overlap(const struct gap_segment *s, uint64_t from, uint64_t to)
{
	uint64_t end = s->begin_ns + s->width_ns - 1, begin = s->begin_ns, part;

	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	if (begin > end)
		return 0;
	part = part_begin(WHOLE, end - begin + 1, s->width_ns);
	return part ? part : 1;
}

/* Weight of what of an octave lies in [from, to], of all octaves WHOLE. */
static uint64_t octave_part(const struct gap_table *t, unsigned int octave, uint64_t from,
			    uint64_t to)
{
	const struct gap_octave_segments *s = &t->octaves[octave];
	uint64_t begin = octave_begin(octave), sum = 0;

	if (begin >= from && begin + octave_width(octave) - 1 <= to)
		return WHOLE;
	for (uint32_t i = 0; i < s->count; i++)
		sum += overlap(&s->segments[i], from, to);
	return sum ? sum / s->count + 1 : 0;
}

static uint64_t draw_part(const struct gap_octave_segments *s, uint64_t from, uint64_t to,
			  struct prng *random)
{
	uint64_t weights[PROFILE_GAP_WITHIN_MAX], sum = 0, begin, end;
	uint32_t i;

	for (i = 0; i < s->count; i++)
		sum += weights[i] = overlap(&s->segments[i], from, to);
	i = prng_weighted_of_64(random, weights, sum);
	begin = s->segments[i].begin_ns;
	end = begin + s->segments[i].width_ns - 1;
	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	return begin + prng_below(random, end - begin + 1);
}

uint64_t gap_table_draw_between(const struct gap_table *t, const uint32_t *weights,
				const uint32_t *factors, uint64_t from, uint64_t to,
				struct prng *random)
{
	unsigned int first = gap_octave(from), last = gap_octave(to), o;
	uint64_t parts[PROFILE_GAP_OCTAVES], sum = 0;

	for (o = first; o <= last; o++)
		sum += parts[o] =
			weights[o] ? (uint64_t)weights[o] * factors[o] * octave_part(t, o, from, to)
				   : 0;
	if (!sum)
		return from + prng_below(random, to - from + 1);
	o = first + prng_weighted_of_64(random, parts + first, sum);
	return draw_part(&t->octaves[o], from, to, random);
}
