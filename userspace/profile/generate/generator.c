// SPDX-License-Identifier: MIT
#include "profile/generate/generator.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/arrival/arrival.h"
#include "profile/classes.h"
#include "profile/arrival/class_counts.h"
#include "profile/placement/placement.h"
#include "profile/prng.h"

struct profile_generator {
	const struct profile *p;
	struct prng random;
	struct arrival *arrival;
	struct placement *placements[PROFILE_SPACES_MAX]; /* NULL: no stream is there */
	uint32_t window, phase, previous;
	bool started;
	uint64_t until_ns;		    /* 0: once through */
	uint64_t base_ns;		    /* of this round */
	uint64_t done, total;		    /* IOs of this phase */
	uint64_t left[PROFILE_STREAMS_MAX]; /* IOs of each stream in this phase */
	bool reads[PROFILE_STREAMS_MAX];    /* whether it does */
	uint64_t sizes_left[PROFILE_STREAMS_MAX][PROFILE_SIZES_MAX];
	uint64_t sizes_sum[PROFILE_STREAMS_MAX];
	uint32_t class_begins[PROFILE_STREAMS_MAX][CLASSES_OF_OP + 1]; /* index of a size */
	uint64_t classes_left[PROFILE_STREAMS_MAX][CLASSES_OF_OP];
	int class; /* of sizes, that the next IO is to have; -1: any */
};

void profile_generator__free(struct profile_generator *g)
{
	if (!g)
		return;
	arrival__free(g->arrival);
	for (uint32_t i = 0; i < PROFILE_SPACES_MAX; i++)
		placement__free(g->placements[i]);
	free(g);
}

static void find_classes(struct profile_generator *g, uint32_t s)
{
	const struct profile_stream *stream = &g->p->streams[s];
	uint32_t i = 0;

	for (unsigned int class = 0; class < CLASSES_OF_OP; class ++) {
		g->class_begins[s][class] = i;
		while (i < stream->size_count &&
		       size_class(&g->p->arrival, stream->op == IO_OP_READ,
				  stream->sizes[i].bytes) == class)
			i++;
	}
	g->class_begins[s][CLASSES_OF_OP] = i;
}

static void refill_sizes(struct profile_generator *g, uint32_t s)
{
	const struct profile_stream *stream = &g->p->streams[s];

	for (unsigned int class = 0; class < CLASSES_OF_OP; class ++)
		for (uint32_t i = g->class_begins[s][class]; i < g->class_begins[s][class + 1];
		     i++) {
			g->sizes_left[s][i] = stream->sizes[i].ios;
			g->sizes_sum[s] += stream->sizes[i].ios;
			g->classes_left[s][class] += stream->sizes[i].ios;
		}
}

int profile_generator__create(const struct profile *p, uint64_t seed, struct profile_generator **g)
{
	struct profile_generator *created = calloc(1, sizeof(*created));
	int err;

	if (!created)
		return -ENOMEM;
	created->p = p;
	prng_seed(&created->random, seed);
	err = arrival__create(p, &created->arrival);
	for (uint32_t i = 0; i < p->stream_count; i++) {
		find_classes(created, i);
		refill_sizes(created, i);
	}
	for (uint32_t i = 0; i < p->stream_count && !err; i++) {
		uint32_t space = p->streams[i].space;

		created->reads[i] = p->streams[i].op == IO_OP_READ;
		if (!created->placements[space])
			err = placement__create(p, space, &created->placements[space]);
	}
	if (err) {
		profile_generator__free(created);
		return err;
	}
	*g = created;
	return 0;
}

/* Fills the counts of a phase; the shares of all IOs where the phase has none of its own. */
static void begin_phase(struct profile_generator *g, uint32_t phase)
{
	uint32_t count = g->p->stream_count;

	for (uint32_t s = 0; s < count; s++)
		g->left[s] = g->p->streams[s].phases[phase];
	g->phase = phase;
	g->done = 0;
	g->total = sum_of_counts(g->left, count);
	if (g->total)
		return;
	for (uint32_t s = 0; s < count; s++)
		g->total += g->left[s] = g->p->streams[s].ios;
}

/* How likely the stream is after the previous one, times how much of it is left. */
static uint64_t stream_weight(const struct profile_generator *g, const uint32_t *next, uint32_t s)
{
	uint64_t ios = g->p->streams[s].ios, left = g->left[s], product;
	unsigned __int128 weight;

	if (!left || !next[s])
		return 0;
	if (!__builtin_mul_overflow((uint64_t)next[s] << 16, left, &product) &&
	    product < 1ull << 56)
		return ios ? product / ios : product;
	weight = ((unsigned __int128)next[s] * left << 16) / (ios ? ios : 1);
	return weight < 1ull << 56 ? (uint64_t)weight : 1ull << 56;
}

/*
 * Streams that the next IO may belong to: their weights, and the sums of those that read and not.
 */
struct turn {
	uint64_t weights[PROFILE_STREAMS_MAX], sums[2];
};

/* By the chances of the next stream, or, if NULL, by what is left. */
static void weigh(const struct profile_generator *g, const uint32_t *next, struct turn *t)
{
	t->sums[0] = t->sums[1] = 0;
	for (uint32_t s = 0; s < g->p->stream_count; s++) {
		t->weights[s] = next ? stream_weight(g, next, s) : g->left[s];
		t->sums[g->reads[s]] += t->weights[s];
	}
}

/* A chance by two shares, of which each keeps 30 bits; what is not 0 stays above it. */
static uint64_t chance(uint64_t weight, uint64_t weights, uint64_t left, uint64_t of)
{
	unsigned int down = bits_of(weights) > 30 ? bits_of(weights) - 30 : 0;
	unsigned int left_down = bits_of(of) > 30 ? bits_of(of) - 30 : 0;

	return ((weight >> down) + (weight >> down == 0 && weight)) *
	       ((left >> left_down) + (left >> left_down == 0 && left));
}

/* Whether a read comes, so that the bin gets as many as it should. */
static bool draw_is_read(struct profile_generator *g, const uint64_t sums[2],
			 const uint64_t still[2])
{
	uint64_t read, other;

	if (!still[0] || !still[1])
		return still[1];
	read = chance(sums[1], sums[0] + sums[1], still[1], still[0] + still[1]);
	other = chance(sums[0], sums[0] + sums[1], still[0], still[0] + still[1]);
	return prng_below(&g->random, read + other) < read;
}

/* Draws the class of size that comes, and weighs streams by how many they have of it. */
static void take_class(struct profile_generator *g, struct turn *t,
		       const uint64_t still[CLASSES_OF_OP], uint64_t all)
{
	uint64_t weighed[PROFILE_STREAMS_MAX], weighed_sum = 0, sum = t->sums[0] + t->sums[1];
	unsigned int class = prng_weighted_of_64(&g->random, still, all);

	for (uint32_t s = 0; s < g->p->stream_count; s++) {
		weighed[s] = t->weights[s] && g->classes_left[s][class]
				     ? chance(t->weights[s], sum, g->classes_left[s][class],
					      g->sizes_sum[s])
				     : 0;
		weighed_sum += weighed[s];
	}
	if (!weighed_sum)
		return;
	memcpy(t->weights, weighed, g->p->stream_count * sizeof(*weighed));
	t->sums[0] = weighed_sum;
	t->sums[1] = 0;
	g->class = (int)class;
}

/* Takes the streams that read, or the others; what is left of these where none follows. */
static void take_turn(const struct profile_generator *g, struct turn *t, bool is_read)
{
	uint64_t left;

	if (!t->sums[is_read]) {
		struct turn rest;

		weigh(g, NULL, &rest);
		if (!rest.sums[is_read])
			return;
		*t = rest;
	}
	left = t->sums[!is_read];
	t->sums[!is_read] = 0;
	for (uint32_t s = 0; left && s < g->p->stream_count; s++)
		if (g->reads[s] != is_read)
			t->weights[s] = 0;
}

/* Only streams that suit what the arrivals say of the IO. */
static void take_turns(struct profile_generator *g, struct turn *t)
{
	const uint64_t(*still)[CLASSES_OF_OP] = arrival__still(g->arrival);
	uint64_t stills[2] = {0};
	bool is_read;

	g->class = -1;
	for (unsigned int i = 0; still && i < CLASSES_OF_OP; i++) {
		stills[0] += still[0][i];
		stills[1] += still[1][i];
	}
	if (!stills[0] && !stills[1])
		return;
	is_read = draw_is_read(g, t->sums, stills);
	take_turn(g, t, is_read);
	if (stills[is_read] && size_classes_known(&g->p->arrival, is_read))
		take_class(g, t, still[is_read], stills[is_read]);
}

static uint32_t draw_stream(struct profile_generator *g)
{
	struct turn t;
	uint64_t at;
	uint32_t s;

	if (g->started)
		weigh(g, g->p->streams[g->previous].next, &t);
	if (!g->started || !(t.sums[0] + t.sums[1]))
		weigh(g, NULL, &t);
	take_turns(g, &t);
	at = prng_below(&g->random, t.sums[0] + t.sums[1]);
	for (s = 0; s + 1 < g->p->stream_count && at >= t.weights[s]; s++)
		at -= t.weights[s];
	return s;
}

static uint32_t next_stream(struct profile_generator *g, uint32_t window)
{
	uint32_t phase = g->phase, s;

	if (!g->started || window != g->window)
		phase = (uint32_t)part_begin(g->p->phase_count, window, g->p->arrival.window_count);
	if (!g->started || phase != g->phase || g->done >= g->total)
		begin_phase(g, phase);
	g->window = window;
	s = draw_stream(g);
	if (g->left[s])
		g->left[s]--;
	g->previous = s;
	g->started = true;
	return s;
}

/* Without putting back: once through, the table is met exactly. */
static uint64_t draw_size(struct profile_generator *g, uint32_t s)
{
	const struct profile_stream *stream = &g->p->streams[s];
	uint32_t i = g->class < 0 ? 0 : g->class_begins[s][g->class];
	uint64_t sum = g->class < 0 ? g->sizes_sum[s] : g->classes_left[s][g->class];
	unsigned int class;

	if (!sum)
		return 0;
	i += prng_weighted_of_64(&g->random, g->sizes_left[s] + i, sum);
	class = size_class(&g->p->arrival, stream->op == IO_OP_READ, stream->sizes[i].bytes);
	g->sizes_left[s][i]--;
	g->classes_left[s][class]--;
	if (!--g->sizes_sum[s])
		refill_sizes(g, s);
	arrival__became(g->arrival, stream->op == IO_OP_READ, class);
	return stream->sizes[i].bytes;
}

void profile_generator__repeat(struct profile_generator *g, uint64_t duration_ns)
{
	g->until_ns = duration_ns;
}

/* The next arrival, of the next round where this one has ended. */
static bool next_arrival(struct profile_generator *g, uint64_t *time_ns, uint32_t *window)
{
	const struct profile *p = g->p;

	if (arrival__next(g->arrival, &g->random, time_ns, window))
		return !g->until_ns || *time_ns < g->until_ns;
	if (!g->until_ns || !p->duration_ns || p->ios < 2)
		return false;
	g->base_ns += p->duration_ns + p->duration_ns / (p->ios - 1);
	if (g->base_ns >= g->until_ns)
		return false;
	arrival__restart(g->arrival, g->base_ns);
	for (uint32_t i = 0; i < PROFILE_SPACES_MAX; i++)
		if (g->placements[i])
			placement__restart(g->placements[i]);
	return arrival__next(g->arrival, &g->random, time_ns, window) && *time_ns < g->until_ns;
}

int profile_generator__next(struct profile_generator *g, struct io_row *row)
{
	const struct profile_stream *stream;
	struct placement *place;
	uint32_t window, s;
	uint64_t time_ns;
	int err;

	if (!next_arrival(g, &time_ns, &window))
		return 0;
	s = next_stream(g, window);
	stream = &g->p->streams[s];
	*row = (struct io_row){
		.created_ns = time_ns,
		.device = 1,
		.task = s + 1,
		.flags = stream->flags,
		.op = (uint8_t)stream->op,
	};
	place = g->placements[stream->space];
	err = placement__progress(place, g->phase, g->done++, g->total);
	if (err)
		return err;
	row->bytes = draw_size(g, s);
	placement__place(place, s, &g->random, row);
	return 1;
}
