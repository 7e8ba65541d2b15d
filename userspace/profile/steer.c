#include "profile/steer.h"

#include "profile/bins.h"

#define GAIN_BASE 32

void steer_init(struct steer *s, const struct profile *p, uint32_t space)
{
	*s = (struct steer){
		.space = &p->spaces[space], .phases = p->phase_count, .gain = GAIN_BASE};
	for (unsigned int i = 0; i < PROFILE_DISTANCES; i++) {
		s->octave_weights[distance_octave(i)] += s->space->distances[i];
		s->weight_sum += i ? s->space->distances[i] : 0;
		s->on = s->on || s->space->distances[i];
	}
	for (unsigned int i = 0; i < PROFILE_REUSE_BINS; i++)
		s->factors[i] = STEER_EVEN;
}

void steer_note(struct steer *s, unsigned int distance_bin, uint64_t blocks)
{
	s->touched += blocks;
	s->octaves[distance_octave(distance_bin)] += blocks;
	s->quarters[distance_bin] += blocks;
}

/* Of the blocks that were touched again, as many as the table says. */
static uint64_t wanted(const struct steer *s, uint64_t weight)
{
	uint64_t again = s->touched > s->new_target ? s->touched - s->new_target : 0;

	return s->weight_sum ? part_begin(again, weight, s->weight_sum) : 0;
}

static uint32_t factor(const struct steer *s, uint64_t target, uint64_t achieved)
{
	int64_t lacking = (int64_t)(target - achieved), gain = s->gain;

	if (lacking >= 0)
		return (uint32_t)(STEER_EVEN *
				  (uint64_t)(lacking < 63 * gain ? gain + lacking : 64 * gain) /
				  (uint64_t)gain);
	lacking = -lacking < 63 * gain ? -lacking : 63 * gain;
	return (uint32_t)(STEER_EVEN * (uint64_t)gain / (uint64_t)(gain + lacking));
}

void steer_update(struct steer *s, uint32_t phase, uint64_t done, uint64_t total, uint64_t live)
{
	if (s->on) {
		for (; s->phase < phase; s->phase++)
			s->new_before += s->space->new_blocks[s->phase];
		s->new_target = s->new_before;
		if (total)
			s->new_target += (uint64_t)((unsigned __int128)s->space->new_blocks[phase] *
						    (done < total ? done : total) / total);
		s->factors[0] = factor(s, s->new_target, s->octaves[0]);
	}
	for (unsigned int i = 1; i < PROFILE_REUSE_BINS; i++) {
		if ((1ull << (i - 1)) - 1 >= live)
			s->factors[i] = 0;
		else if (s->on)
			s->factors[i] = factor(s, wanted(s, s->octave_weights[i]), s->octaves[i]);
		else
			s->factors[i] = STEER_EVEN;
	}
}

void steer_restart(struct steer *s)
{
	for (; s->phase < s->phases; s->phase++)
		s->new_before += s->space->new_blocks[s->phase];
	s->phase = 0;
}

unsigned int steer_quarter(const struct steer *s, unsigned int octave, uint64_t random)
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
