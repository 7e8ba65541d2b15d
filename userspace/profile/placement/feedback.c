// SPDX-License-Identifier: MIT
#include "profile/placement/feedback.h"

#include <string.h>

#include "base/units.h"
#include "profile/classes.h"

#define GAIN_BASE     32
#define AGE_SHARE_ONE (1ull << 20) /* a share of all */
#define BLOCK_ONE     (1u << 12)
#define FILLS_SHARE   16 /* of whose large requests less than one goes to blocks touched before */
#define MEAN_ONE      (1ull << 16)

static void weigh(struct age_progress *a, const struct profile_stream *stream, uint32_t index)
{
	for (unsigned int size = 0; size < PROFILE_REUSE_SIZES; size++) {
		const uint32_t *ages = stream->reuse[size];
		uint64_t sum = sum_of_weights(ages, PROFILE_REUSE_OCTAVES);

		for (unsigned int i = 1; i < PROFILE_REUSE_OCTAVES && sum; i++) {
			a->of_block[index][size][i] =
				(uint32_t)(BLOCK_ONE * (uint64_t)ages[i] / sum);
			if (ages[i] && a->end <= i)
				a->end = i + 1;
		}
	}
}

static void expect(struct age_progress *a, const struct profile_stream *stream, uint32_t index)
{
	for (uint32_t i = 0; i < stream->size_count; i++) {
		const struct profile_size *size = &stream->sizes[i];
		uint64_t blocks = (size->bytes + PAGE_BYTES - 1) / PAGE_BYTES;

		for (unsigned int age = 1; age < a->end && blocks; age++)
			a->round[age] +=
				size->ios * blocks * a->of_block[index][reuse_size(blocks)][age];
	}
}

static void age_progress_init(struct age_progress *a, const struct profile *p, uint32_t space)
{
	memset(a, 0, sizeof(*a));
	for (uint32_t i = 0; i < p->stream_count; i++)
		if (p->streams[i].space == space)
			weigh(a, &p->streams[i], i);
	for (uint32_t i = 0; i < p->stream_count; i++)
		expect(a, &p->streams[i], i);
	memcpy(a->all, a->round, sizeof(a->all));
}

static void age_progress_restart(struct age_progress *a)
{
	add_counts(a->all, a->round, PROFILE_REUSE_OCTAVES);
}

static void age_progress_add(struct age_progress *a, unsigned int stream, uint64_t blocks)
{
	const uint32_t *of_block = a->of_block[stream][reuse_size(blocks)];

	for (unsigned int age = 1; age < a->end; age++)
		a->done[age] += blocks * of_block[age];
}

static uint64_t share(uint64_t done, uint64_t all)
{
	return part_begin(AGE_SHARE_ONE, smaller_of(done, all), all);
}

/* The share of each age (from 1; 0 is not set) that is due. */
static void age_progress_shares(const struct age_progress *a,
				uint64_t shares[PROFILE_REUSE_OCTAVES])
{
	uint64_t all = sum_of_counts(a->all, a->end);
	uint64_t of_all = all ? share(sum_of_counts(a->done, a->end), all) : AGE_SHARE_ONE;

	for (unsigned int age = 1; age < PROFILE_REUSE_OCTAVES; age++)
		shares[age] = a->all[age] ? share(a->done[age], a->all[age]) : of_all;
}

static bool is_large(uint64_t blocks)
{
	return reuse_size(blocks) == PROFILE_REUSE_SIZES - 1;
}

static uint64_t mean_of(const struct profile_stream *stream)
{
	unsigned __int128 sum = 0;
	uint64_t ios = 0;

	for (uint32_t i = 0; i < stream->size_count; i++) {
		uint64_t blocks = (stream->sizes[i].bytes + PAGE_BYTES - 1) / PAGE_BYTES;

		ios += stream->sizes[i].ios;
		if (blocks && is_large(blocks))
			sum += (unsigned __int128)stream->sizes[i].ios * blocks * MEAN_ONE;
	}
	return ios ? (uint64_t)(sum / ios) : 0;
}

static void new_progress_init(struct new_progress *n, const struct profile *p, uint32_t space)
{
	*n = (struct new_progress){.phase = UINT32_MAX};
	for (uint32_t i = 0; i < p->stream_count; i++) {
		const struct profile_stream *stream = &p->streams[i];
		const uint32_t *ages = stream->reuse[PROFILE_REUSE_SIZES - 1];
		uint64_t again = sum_of_weights(ages + 1, PROFILE_REUSE_OCTAVES - 1);

		if (stream->space != space || ages[0] <= again * (FILLS_SHARE - 1))
			continue;
		n->fills[i] = true;
		n->of[i] = stream->op == IO_OP_WRITE && p->spaces[space].written_known;
		n->means[i] = mean_of(stream);
	}
}

static void new_progress_begin(struct new_progress *n, const struct profile *p, uint32_t phase)
{
	n->phase = phase;
	for (unsigned int of = 0; of < 2; of++)
		n->done[of] = n->all[of] = 0;
	for (uint32_t i = 0; i < p->stream_count; i++)
		n->all[n->of[i]] += part_begin(p->streams[i].phases[phase], n->means[i], MEAN_ONE);
}

static void new_progress_add(struct new_progress *n, unsigned int stream, uint64_t blocks)
{
	if (n->fills[stream] && is_large(blocks))
		n->done[n->of[stream]] += blocks;
}

/*
 * How many of `blocks`, the new blocks of the phase's writes or reads, should have been touched by
 * now, when `done` of the `total` IOs of the phase were given.
 */
static uint64_t new_progress_due(const struct new_progress *n, bool of_writes, uint64_t blocks,
				 uint64_t done, uint64_t total)
{
	uint64_t all = n->all[of_writes], large = smaller_of(n->done[of_writes], all);

	if (all > blocks)
		return part_begin(blocks, large, all);
	return large + (total ? part_begin(blocks - all, smaller_of(done, total), total) : 0);
}

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
		s->phase = larger_of(s->new_progress.phase, s->phase);
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
