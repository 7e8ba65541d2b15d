// SPDX-License-Identifier: MIT
#include "profile/placement/feedback.h"

#include "profile/classes.h"

#define GAIN_BASE 32

void feedback_init(struct feedback *s, const struct profile *p, uint32_t space)
{
	*s = (struct feedback){
		.space = &p->spaces[space], .phases = p->phase_count, .gain = GAIN_BASE};
	for (unsigned int i = 0; i < PROFILE_DISTANCES; i++) {
		s->octave_weights[distance_octave(i)] += s->space->distances[i];
		s->weight_sum += i ? s->space->distances[i] : 0;
		s->on = s->on || s->space->distances[i];
	}
	for (unsigned int i = 0; i < PROFILE_REUSE_OCTAVES; i++)
		s->factors[i] = FEEDBACK_EVEN;
	s->news[0].factor = s->news[1].factor = FEEDBACK_EVEN;
}

void feedback_note(struct feedback *s, unsigned int distance_column, uint64_t blocks, bool is_write)
{
	if (!distance_column)
		s->news[is_write && s->space->written_known].found += blocks;
	s->touched += blocks;
	s->octaves[distance_octave(distance_column)] += blocks;
	s->quarters[distance_column] += blocks;
}

/* Of the blocks that were touched again, as many as the table says. */
static uint64_t wanted(const struct feedback *s, uint64_t weight)
{
	uint64_t target = s->news[0].target + s->news[1].target;
	uint64_t again = s->touched > target ? s->touched - target : 0;

	return s->weight_sum ? part_begin(again, weight, s->weight_sum) : 0;
}

static uint32_t factor(const struct feedback *s, uint64_t target, uint64_t achieved)
{
	int64_t lacking = (int64_t)(target - achieved), gain = s->gain;

	if (lacking >= 0)
		return (uint32_t)(FEEDBACK_EVEN *
				  (uint64_t)(lacking < 63 * gain ? gain + lacking : 64 * gain) /
				  (uint64_t)gain);
	lacking = -lacking < 63 * gain ? -lacking : 63 * gain;
	return (uint32_t)(FEEDBACK_EVEN * (uint64_t)gain / (uint64_t)(gain + lacking));
}

/* New blocks of a phase, of reads or of writes. */
static uint64_t new_of_phase(const struct feedback *s, unsigned int of, uint32_t phase)
{
	const struct profile_space *space = s->space;
	uint64_t written = 0;

	if (space->written_known)
		written =
			part_begin(space->new_blocks[phase], space->written_permille[phase], 1000);
	return of ? written : space->new_blocks[phase] - written;
}

static void update_new(struct feedback *s, unsigned int of, uint32_t phase, uint64_t done,
		       uint64_t total)
{
	struct feedback_new *new = &s->news[of];

	for (uint32_t i = s->phase; i < phase; i++)
		new->before += new_of_phase(s, of, i);
	new->target = new->before;
	if (total)
		new->target += (uint64_t)((unsigned __int128)new_of_phase(s, of, phase) *
					  (done < total ? done : total) / total);
	new->factor = factor(s, new->target, new->found);
}

void feedback_update(struct feedback *s, uint32_t phase, uint64_t done, uint64_t total,
		     uint64_t live)
{
	if (s->on) {
		update_new(s, 0, phase, done, total);
		update_new(s, 1, phase, done, total);
		s->phase = phase > s->phase ? phase : s->phase;
	}
	for (unsigned int i = 1; i < PROFILE_REUSE_OCTAVES; i++) {
		if ((1ull << (i - 1)) - 1 >= live)
			s->factors[i] = 0;
		else if (s->on)
			s->factors[i] = factor(s, wanted(s, s->octave_weights[i]), s->octaves[i]);
		else
			s->factors[i] = FEEDBACK_EVEN;
	}
}

void feedback_restart(struct feedback *s)
{
	for (uint32_t i = s->phase; i < s->phases; i++) {
		s->news[0].before += new_of_phase(s, 0, i);
		s->news[1].before += new_of_phase(s, 1, i);
	}
	s->phase = 0;
}

unsigned int feedback_quarter(const struct feedback *s, unsigned int octave, uint64_t random)
{
	unsigned int first = 1 + 4 * (octave - 1);
	uint64_t weights[4], sum = 0, at;

	if (!s->on)
		return random >> 62;
	for (unsigned int i = 0; i < 4; i++) {
		weights[i] = (uint64_t)s->space->distances[first + i] *
			     factor(s, wanted(s, s->space->distances[first + i]),
				    s->quarters[first + i]);
		sum += weights[i];
	}
	if (!sum)
		return random >> 62;
	at = (uint64_t)(((unsigned __int128)random * sum) >> 64);
	for (unsigned int i = 0; i < 3; i++) {
		if (at < weights[i])
			return i;
		at -= weights[i];
	}
	return 3;
}
