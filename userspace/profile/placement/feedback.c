// SPDX-License-Identifier: MIT
#include "profile/placement/feedback.h"

#include "profile/classes.h"

#define GAIN_BASE 32

void feedback_init(struct feedback *s, const struct profile *p, uint32_t space)
{
	*s = (struct feedback){
		.p = p, .space = &p->spaces[space], .phases = p->phase_count, .gain = GAIN_BASE};
	new_progress_init(&s->new_progress, p, space);
	age_progress_init(&s->age_progress, p, space);
	for (unsigned int i = 0; i < PROFILE_DISTANCES; i++) {
		s->octave_weights[distance_octave(i)] += s->space->distances[i];
		s->on = s->on || s->space->distances[i];
	}
	for (unsigned int i = 0; i < PROFILE_REUSE_OCTAVES; i++)
		s->factors[i] = FACTOR_EVEN;
	s->news[0].factor = s->news[1].factor = FACTOR_EVEN;
}

void feedback_note(struct feedback *s, unsigned int distance_column, uint64_t blocks, bool is_write)
{
	if (!distance_column)
		s->news[is_write && s->space->written_known].found += blocks;
	s->touched += blocks;
	s->octaves[distance_octave(distance_column)] += blocks;
	s->quarters[distance_column] += blocks;
}

void feedback_begin(struct feedback *s, uint32_t phase, uint64_t done)
{
	if (s->on && (!done || phase != s->new_progress.phase))
		new_progress_begin(&s->new_progress, s->p, phase);
}

void feedback_expect(struct feedback *s, unsigned int stream, uint64_t blocks)
{
	if (!s->on)
		return;
	new_progress_add(&s->new_progress, stream, blocks);
	age_progress_add(&s->age_progress, stream, blocks);
}

/* Of the blocks that were touched again, as many as the table says of what is due. */
static uint64_t wanted(const struct feedback *s, unsigned int octave, uint64_t weight)
{
	uint64_t target = s->news[0].target + s->news[1].target;
	uint64_t again = s->touched > target ? s->touched - target : 0;

	return s->weight_sum ? part_begin(again, weight * s->shares[octave], s->weight_sum) : 0;
}

static uint32_t factor(const struct feedback *s, uint64_t target, uint64_t achieved)
{
	return factor_of(target, achieved, s->gain, 64);
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

static void update_new(struct feedback *s, unsigned int of, uint64_t done, uint64_t total)
{
	const struct new_progress *progress = &s->new_progress;
	struct feedback_new *new = &s->news[of];

	for (uint32_t i = s->phase; i < progress->phase; i++)
		new->before += new_of_phase(s, of, i);
	new->target =
		new->before +
		new_progress_due(progress, of, new_of_phase(s, of, progress->phase), done, total);
	new->factor = factor(s, new->target, new->found);
}

static void update_shares(struct feedback *s)
{
	age_progress_shares(&s->age_progress, s->shares);
	s->weight_sum = 0;
	for (unsigned int i = 1; i < PROFILE_REUSE_OCTAVES; i++)
		s->weight_sum += s->octave_weights[i] * s->shares[i];
}

void feedback_update(struct feedback *s, uint64_t done, uint64_t total, uint64_t live)
{
	if (s->on) {
		update_new(s, 0, done, total);
		update_new(s, 1, done, total);
		if (s->new_progress.phase > s->phase)
			s->phase = s->new_progress.phase;
		update_shares(s);
	}
	for (unsigned int i = 1; i < PROFILE_REUSE_OCTAVES; i++) {
		if ((1ull << (i - 1)) - 1 >= live)
			s->factors[i] = 0;
		else if (s->on)
			s->factors[i] =
				factor(s, wanted(s, i, s->octave_weights[i]), s->octaves[i]);
		else
			s->factors[i] = FACTOR_EVEN;
	}
}

void feedback_restart(struct feedback *s)
{
	for (uint32_t i = s->phase; i < s->phases; i++) {
		s->news[0].before += new_of_phase(s, 0, i);
		s->news[1].before += new_of_phase(s, 1, i);
	}
	s->phase = 0;
	age_progress_restart(&s->age_progress);
}

unsigned int feedback_quarter(const struct feedback *s, unsigned int octave, struct prng *random)
{
	const uint32_t *distances = &s->space->distances[1 + 4 * (octave - 1)];
	uint64_t weights[4], sum = 0;

	for (unsigned int i = 0; i < 4 && s->on; i++)
		sum += weights[i] =
			(uint64_t)distances[i] * factor(s, wanted(s, octave, distances[i]),
							s->quarters[1 + 4 * (octave - 1) + i]);
	return sum ? prng_weighted_of_64(random, weights, sum) : prng_next(random) >> 62;
}
