#include "profile/generator.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "profile/arrival.h"
#include "profile/bins.h"
#include "profile/placement.h"
#include "profile/prng.h"

struct profile_generator {
	const struct profile *p;
	struct prng random;
	struct arrival *arrival;
	struct placement *placements[PROFILE_SPACES_MAX]; /* NULL: no stream is there */
	uint32_t phase, previous;
	bool started;
	uint64_t until_ns;		    /* 0: once through */
	uint64_t base_ns;		    /* of this round */
	uint64_t done, total;		    /* IOs of this phase */
	uint64_t left[PROFILE_STREAMS_MAX]; /* IOs of each stream in this phase */
	uint64_t sizes_left[PROFILE_STREAMS_MAX][PROFILE_SIZES_MAX];
	uint64_t sizes_sum[PROFILE_STREAMS_MAX];
	struct io_row last[PROFILE_SPACES_MAX][IO_OP_COUNT]; /* the previous IO of each op */
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

int profile_generator__create(const struct profile *p, uint64_t seed, struct profile_generator **g)
{
	struct profile_generator *created = calloc(1, sizeof(*created));
	int err;

	if (!created)
		return -ENOMEM;
	created->p = p;
	prng_seed(&created->random, seed);
	err = arrival__create(p, &created->arrival);
	for (uint32_t i = 0; i < p->stream_count && !err; i++) {
		uint32_t space = p->streams[i].space;

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
	uint64_t sum = 0;

	for (uint32_t s = 0; s < g->p->stream_count; s++) {
		g->left[s] = g->p->streams[s].phases[phase];
		sum += g->left[s];
	}
	for (uint32_t s = 0; !sum && s < g->p->stream_count; s++)
		g->left[s] = g->p->streams[s].ios;
	g->phase = phase;
	g->done = 0;
	g->total = 0;
	for (uint32_t s = 0; s < g->p->stream_count; s++)
		g->total += g->left[s];
}

/* How likely the stream is after the previous one, times how much of it is left. */
static uint64_t stream_weight(const struct profile_generator *g, uint32_t s)
{
	const struct profile_stream *stream = &g->p->streams[s];
	unsigned __int128 weight;
	uint64_t product;

	if (!g->left[s] || !g->started)
		return g->left[s];
	if (!__builtin_mul_overflow((uint64_t)g->p->streams[g->previous].next[s] << 16, g->left[s],
				    &product) &&
	    product < 1ull << 56)
		return product / (stream->ios ? stream->ios : 1);
	weight = ((unsigned __int128)g->p->streams[g->previous].next[s] * g->left[s] << 16) /
		 (stream->ios ? stream->ios : 1);
	return weight < 1ull << 56 ? (uint64_t)weight : 1ull << 56;
}

static uint64_t copy_left(const struct profile_generator *g, uint64_t *weights)
{
	uint64_t sum = 0;

	for (uint32_t s = 0; s < g->p->stream_count; s++) {
		weights[s] = g->left[s];
		sum += weights[s];
	}
	return sum;
}

/* A chance by two shares, of which each keeps 30 bits; what is not 0 stays above it. */
static uint64_t chance(uint64_t weight, uint64_t weights, uint64_t left, uint64_t of)
{
	unsigned int down = bits_of(weights) > 30 ? bits_of(weights) - 30 : 0;
	unsigned int left_down = bits_of(of) > 30 ? bits_of(of) - 30 : 0;

	return ((weight >> down) + (weight >> down == 0 && weight)) *
	       ((left >> left_down) + (left >> left_down == 0 && left));
}

/* Whether a read comes, so that the leaf gets as many as it should. */
static bool draw_is_read(struct profile_generator *g, const uint64_t sums[2], uint64_t reads,
			 uint64_t others)
{
	uint64_t read, other;

	if (!reads || !others)
		return reads;
	read = chance(sums[1], sums[0] + sums[1], reads, reads + others);
	other = chance(sums[0], sums[0] + sums[1], others, reads + others);
	return prng_below(&g->random, read + other) < read;
}

/*
 * Takes the weights of the streams that read, or of the others, as the arrivals say; what is left
 * of these where none of them follows the previous one. The sum of the weights.
 */
static uint64_t take_turns(struct profile_generator *g, uint64_t *weights, uint64_t sum)
{
	uint64_t reads, others, sums[2] = {0}, left = 0;
	bool is_read;

	if (!arrival__still(g->arrival, &reads, &others))
		return sum;
	for (uint32_t s = 0; s < g->p->stream_count; s++)
		sums[g->p->streams[s].op == IO_OP_READ] += weights[s];
	is_read = draw_is_read(g, sums, reads, others);
	for (uint32_t s = 0; s < g->p->stream_count; s++)
		left += (g->p->streams[s].op == IO_OP_READ) == is_read ? g->left[s] : 0;
	if (!sums[is_read] && !left)
		return sum;
	for (uint32_t s = 0; s < g->p->stream_count; s++) {
		if ((g->p->streams[s].op == IO_OP_READ) != is_read)
			weights[s] = 0;
		else if (!sums[is_read])
			weights[s] = g->left[s];
	}
	return sums[is_read] ? sums[is_read] : left;
}

static uint32_t draw_stream(struct profile_generator *g)
{
	uint64_t weights[PROFILE_STREAMS_MAX], sum = 0, at;
	uint32_t s;

	for (s = 0; s < g->p->stream_count; s++) {
		weights[s] = stream_weight(g, s);
		sum += weights[s];
	}
	if (!sum)
		sum = copy_left(g, weights);
	sum = take_turns(g, weights, sum);
	at = prng_below(&g->random, sum);
	for (s = 0; s + 1 < g->p->stream_count && at >= weights[s]; s++)
		at -= weights[s];
	return s;
}

static uint32_t next_stream(struct profile_generator *g, uint32_t window)
{
	uint32_t phase =
		(uint32_t)part_begin(g->p->phase_count, window, g->p->arrival.window_count);
	uint64_t sum = 0;
	uint32_t s;

	for (s = 0; s < g->p->stream_count; s++)
		sum += g->left[s];
	if (!g->started || phase != g->phase || !sum)
		begin_phase(g, phase);
	s = draw_stream(g);
	if (g->left[s])
		g->left[s]--;
	arrival__became(g->arrival, g->p->streams[s].op == IO_OP_READ);
	g->previous = s;
	g->started = true;
	return s;
}

static void refill_sizes(struct profile_generator *g, uint32_t s)
{
	const struct profile_stream *stream = &g->p->streams[s];

	for (uint32_t i = 0; i < stream->size_count; i++) {
		g->sizes_left[s][i] = stream->sizes[i].ios;
		g->sizes_sum[s] += stream->sizes[i].ios;
	}
}

static int size_index(const struct profile_stream *stream, uint64_t bytes)
{
	for (uint32_t i = 0; i < stream->size_count; i++)
		if (stream->sizes[i].bytes == bytes)
			return (int)i;
	return -1;
}

/* Draws whether the previous IO of the op comes again; only while its size is not used up. */
static bool draw_repeat(struct profile_generator *g, uint32_t s)
{
	const struct profile_stream *stream = &g->p->streams[s];
	uint64_t bytes = g->last[stream->space][stream->op].bytes;
	int i;

	if (!bytes || prng_below(&g->random, 1000) >=
			      stream->repeat_permille[reuse_size((bytes - 1) / PAGE_BYTES + 1)])
		return false;
	i = size_index(stream, bytes);
	if (i < 0 || !g->sizes_left[s][i])
		return false;
	g->sizes_left[s][i]--;
	g->sizes_sum[s]--;
	return true;
}

/* Without putting back: once through, the table is met exactly. */
static uint64_t draw_size(struct profile_generator *g, uint32_t s)
{
	uint64_t at = prng_below(&g->random, g->sizes_sum[s]);
	uint32_t i;

	if (!g->sizes_sum[s])
		return 0;
	for (i = 0; at >= g->sizes_left[s][i]; i++)
		at -= g->sizes_left[s][i];
	g->sizes_left[s][i]--;
	g->sizes_sum[s]--;
	return g->p->streams[s].sizes[i].bytes;
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
	if (!g->sizes_sum[s])
		refill_sizes(g, s);
	if (draw_repeat(g, s)) {
		row->sector = g->last[stream->space][stream->op].sector;
		row->bytes = g->last[stream->space][stream->op].bytes;
		placement__follow(place, s, row);
	} else {
		row->bytes = draw_size(g, s);
		placement__place(place, s, &g->random, row);
	}
	g->last[stream->space][stream->op] = *row;
	return 1;
}
