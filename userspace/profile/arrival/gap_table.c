// SPDX-License-Identifier: MIT
#include "profile/arrival/gap_table.h"

#include "profile/classes.h"

#define WHOLE 1024u /* of a segment, and of an octave's weight */

/* Each weighs the same; width at least 1. */
struct gap_segment {
	uint64_t begin_ns, width_ns;
};

static uint64_t octave_begin(unsigned int octave)
{
	return octave ? 1ull << (octave - 1) : 0;
}

static uint64_t octave_width(unsigned int octave)
{
	return octave ? octave_begin(octave) : 1;
}

static uint32_t segments_of(const struct closed_values *within)
{
	return within->count > 1 ? within->count - 1 : 1;
}

/* Equal shares between neighbouring values, each the first ns of its 1024th of the octave. */
static struct gap_segment segment_of(const struct closed_values *within, unsigned int octave,
				     uint32_t i)
{
	uint64_t low = octave_begin(octave), width = octave_width(octave), begin, end;

	if (within->count < 2)
		return (struct gap_segment){low, width};
	begin = part_begin(width, within->at[i], PROFILE_GAP_WITHIN_PARTS);
	end = part_begin(width, within->at[i + 1] + 1, PROFILE_GAP_WITHIN_PARTS);
	return (struct gap_segment){low + begin, end > begin ? end - begin : 1};
}

uint64_t gap_draw(const struct profile_arrival *a, unsigned int octave, struct prng *random)
{
	const struct closed_values *within = &a->gap_within[octave];
	struct gap_segment segment =
		segment_of(within, octave, (uint32_t)prng_below(random, segments_of(within)));

	return segment.begin_ns + prng_below(random, segment.width_ns);
}

/* The part of a segment that lies in [from, to], in 1024ths, at least 1 if there is any. */
static uint64_t overlap(struct gap_segment s, uint64_t from, uint64_t to)
{
	uint64_t end = s.begin_ns + s.width_ns - 1, begin = s.begin_ns, part;

	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	if (begin > end)
		return 0;
	part = part_begin(WHOLE, end - begin + 1, s.width_ns);
	return part ? part : 1;
}

/* Weight of what of an octave lies in [from, to], of all octaves WHOLE. */
static uint64_t octave_part(const struct closed_values *within, unsigned int octave, uint64_t from,
			    uint64_t to)
{
	uint64_t begin = octave_begin(octave), sum = 0;
	uint32_t count = segments_of(within);

	if (begin >= from && begin + octave_width(octave) - 1 <= to)
		return WHOLE;
	for (uint32_t i = 0; i < count; i++)
		sum += overlap(segment_of(within, octave, i), from, to);
	return sum ? sum / count + 1 : 0;
}

static uint64_t draw_part(const struct closed_values *within, unsigned int octave, uint64_t from,
			  uint64_t to, struct prng *random)
{
	uint64_t weights[PROFILE_GAP_WITHIN_MAX], sum = 0, begin, end;
	struct gap_segment s;

	for (uint32_t i = 0; i < segments_of(within); i++)
		sum += weights[i] = overlap(segment_of(within, octave, i), from, to);
	s = segment_of(within, octave, prng_weighted_of_64(random, weights, sum));
	begin = s.begin_ns;
	end = begin + s.width_ns - 1;
	begin = begin > from ? begin : from;
	end = end < to ? end : to;
	return begin + prng_below(random, end - begin + 1);
}

uint64_t gap_draw_between(const struct profile_arrival *a, const uint32_t *weights,
			  const uint32_t *factors, uint64_t from, uint64_t to, struct prng *random)
{
	unsigned int first = gap_octave(from), last = gap_octave(to), o;
	uint64_t parts[PROFILE_GAP_OCTAVES], sum = 0;

	for (o = first; o <= last; o++)
		sum += parts[o] = weights[o] ? (uint64_t)weights[o] * factors[o] *
						       octave_part(&a->gap_within[o], o, from, to)
					     : 0;
	if (!sum)
		return from + prng_below(random, to - from + 1);
	o = first + prng_weighted_of_64(random, parts + first, sum);
	return draw_part(&a->gap_within[o], o, from, to, random);
}
