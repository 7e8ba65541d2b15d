#include "profile/placement.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "profile/address_space.h"
#include "profile/bins.h"
#include "profile/file_layout.h"
#include "profile/starts.h"
#include "profile/steer.h"
#include "workload/lru_stack.h"
#include "workload/measure.h"
#include "workload/recent_ends.h"

#define CANDIDATES	  4
#define ENTRIES_LOOKED_AT 24
#define TAIL_COST	  24
#define MISFIT_COST	  14
#define SAMPLES		  4   /* blocks of a request whose distance is noted */
#define PREFETCHED	  256 /* blocks of a request */
#define STEER_EVERY	  32  /* IOs */
#define OLDEST_SHARE	  24  /* of all blocks, where none was touched as long ago as one should */
/* Exact sizes up to so many blocks are kept apart, larger ones by power of two. */
#define EXACT_CLASSES 32u
#define START_CLASSES (EXACT_CLASSES + 16)

/* What is drawn from again and again, of a stream and a size. */
struct steered_reuse {
	uint32_t at; /* steered_at of the factors that it was made with */
	unsigned int end;
	uint64_t sum, weights[PROFILE_REUSE_BINS];
};

struct placement {
	const struct profile *p;
	struct address_space space;
	struct lru_stack *stack;
	struct starts starts[START_CLASSES]; /* first blocks of requests, by size */
	struct steer steer;
	uint32_t requests;	    /* so far */
	struct recent_ends ends[2]; /* of reads, of writes */
	/* Blocks of the last request, not touched yet: what that needs is fetched meanwhile. */
	uint64_t first, count;
	unsigned int start_class;
	uint32_t steered_at; /* how often the factors were set */
	struct steered_reuse reuse[PROFILE_STREAMS_MAX][PROFILE_REUSE_SIZES];
};

static void move_starts(void *context)
{
	struct placement *s = context;

	for (unsigned int i = 0; i < START_CLASSES; i++)
		starts_move(&s->starts[i], s->stack);
}

static void find_ends(struct placement *s)
{
	for (uint32_t i = 0; i < s->p->stream_count; i++)
		for (unsigned int j = 0; j < PROFILE_REUSE_SIZES; j++)
			for (unsigned int bin = 0; bin < PROFILE_REUSE_BINS; bin++)
				if (s->p->streams[i].reuse[j][bin])
					s->reuse[i][j].end = bin + 1;
}

static int expect_blocks(const struct placement *s)
{
	uint64_t first = address_block(&s->space, s->space.first_sector);
	uint64_t end = address_block(&s->space, s->space.end_sector) + 1;

	return end > first ? lru_stack__expect(s->stack, first, end - first) : 0;
}

int placement__create(const struct profile *p, uint32_t space, struct placement **placement)
{
	struct placement *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->p = p;
	find_ends(s);
	steer_init(&s->steer, p, space);
	if (lru_stack__create(&s->stack)) {
		free(s);
		return -ENOMEM;
	}
	address_space_init(&s->space, p, space, s->stack);
	if (expect_blocks(s)) {
		placement__free(s);
		return -ENOMEM;
	}
	lru_stack__before_move(s->stack, move_starts, s);
	*placement = s;
	return 0;
}

void placement__free(struct placement *s)
{
	if (!s)
		return;
	lru_stack__free(s->stack);
	for (unsigned int i = 0; i < START_CLASSES; i++)
		starts_release(&s->starts[i]);
	free(s);
}

static unsigned int start_class(uint64_t bytes)
{
	uint64_t blocks = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;

	return blocks <= EXACT_CLASSES
		       ? (unsigned int)blocks - 1
		       : at_most(EXACT_CLASSES + bits_of(blocks - 1) - 6, START_CLASSES - 1);
}

static unsigned int apart(unsigned int a, unsigned int b)
{
	return a > b ? a - b : b - a;
}

/* Whether a block of this distance (bin) lacks so far, as a cost: 0 it lacks, 4 too many. */
static unsigned int surplus(const struct placement *s, unsigned int octave)
{
	uint32_t factor = s->steer.factors[octave];

	return factor >= 2 * STEER_EVEN	 ? 0
	       : factor >= STEER_EVEN	 ? 1
	       : factor > STEER_EVEN / 2 ? 3
					 : 6;
}

/* A start that a request may have, and what it costs to take it. */
struct candidate {
	uint64_t sector, last_block;
	unsigned int cost;
};

/* What the last block of a request costs. */
static unsigned int end_cost(const struct placement *s, uint64_t last_block, uint64_t bytes)
{
	uint64_t distance;

	if (bytes <= PAGE_BYTES)
		return 0;
	if (!lru_stack__find(s->stack, last_block, &distance))
		return surplus(s, 0);
	return surplus(s, reuse_bin(distance));
}

/* Looks around a moment of the past for starts of the same size; the cheapest first. */
static unsigned int find_candidates(const struct placement *s, const struct starts *starts,
				    uint32_t place, unsigned int bin, const struct io_row *row,
				    const struct recent_ends *ends,
				    struct candidate found[CANDIDATES])
{
	uint32_t from = starts_from(starts, place), up = from, down = from;
	unsigned int count = 0;

	for (uint32_t i = 0; i < CANDIDATES / 2; i++) {
		if (up + i < starts->count)
			lru_stack__prefetch_block(s->stack, starts->places[up + i]);
		if (down > i)
			lru_stack__prefetch_block(s->stack, starts->places[down - i - 1]);
	}
	for (unsigned int i = 0; i < ENTRIES_LOOKED_AT && count < CANDIDATES; i++) {
		struct candidate candidate;
		unsigned int at = count;
		uint32_t start;

		if (i & 1 ? !down : up == starts->count)
			continue;
		start = starts->places[i & 1 ? --down : up++];
		if (!lru_stack__is_live(s->stack, start))
			continue;
		candidate.sector = address_sector(&s->space, lru_stack__block(s->stack, start));
		if (!address_fits(&s->space, candidate.sector, row->bytes) ||
		    (s->space.at_begin &&
		     !file_layout_is_begin(&s->space.files, candidate.sector)) ||
		    recent_ends_rank(ends, candidate.sector) >= 0)
			continue;
		candidate.last_block = address_block(
			&s->space, candidate.sector + address_sectors(row->bytes) - 1);
		lru_stack__prefetch(s->stack, candidate.last_block);
		candidate.cost = 2 * apart(distance_bin(lru_stack__distance(s->stack, start)), bin);
		for (; at && found[at - 1].cost > candidate.cost; at--)
			found[at] = found[at - 1];
		found[at] = candidate;
		count++;
	}
	return count;
}

/* A start of the same size near a moment of the past, whose blocks suit. */
static bool search_starts(const struct placement *s, const struct starts *starts, uint32_t place,
			  unsigned int bin, struct io_row *row, const struct recent_ends *ends)
{
	struct candidate found[CANDIDATES];
	unsigned int count = find_candidates(s, starts, place, bin, row, ends, found);
	unsigned int least = UINT32_MAX;

	for (unsigned int i = 0; i < count && found[i].cost < least; i++) {
		unsigned int cost = found[i].cost + end_cost(s, found[i].last_block, row->bytes);

		if (cost >= least)
			continue;
		least = cost;
		row->sector = found[i].sector;
	}
	return count;
}

static bool place_again(const struct placement *s, unsigned int octave, struct prng *random,
			struct io_row *row, const struct recent_ends *ends)
{
	uint64_t blocks = lru_stack__blocks(s->stack), first = 1ull << (octave - 1), low, high;
	const struct starts *starts = &s->starts[start_class(row->bytes)];
	unsigned int quarter = steer_quarter(&s->steer, octave, prng_next(random));
	uint32_t place;

	if (!blocks)
		return false;
	low = first + first * quarter / 4 - 1;
	high = first + first * (quarter + 1) / 4 - 2;
	if (low >= blocks)
		low = blocks - blocks / OLDEST_SHARE - 1;
	if (high >= blocks)
		high = blocks - 1;
	if (high < low)
		high = low;
	low += prng_below(random, high - low + 1);
	place = lru_stack__at(s->stack, low);
	if (starts->count && search_starts(s, starts, place, distance_bin(low), row, ends)) {
		uint64_t better = address_suit(&s->space, row->sector, row->bytes);

		if (recent_ends_rank(ends, better) < 0)
			row->sector = better;
		return true;
	}
	row->sector = address_sector(&s->space, lru_stack__block(s->stack, place));
	if (s->space.files.count)
		row->sector = file_layout_fit(&s->space.files, row->sector, row->bytes,
					      s->space.at_begin);
	else
		row->sector = address_suit(&s->space, row->sector, row->bytes);
	return address_fits(&s->space, row->sector, row->bytes) &&
	       recent_ends_rank(ends, row->sector) < 0;
}

/* A read of no whole pages is mostly the last of its file, and none of whole pages is. */
static unsigned int tail_cost(const struct placement *s, uint64_t sector, const struct io_row *row)
{
	if (!s->space.files.count || row->op != IO_OP_READ)
		return 0;
	return (row->bytes % PAGE_BYTES != 0) ==
			       file_layout_ends(&s->space.files, sector, row->bytes)
		       ? 0
		       : TAIL_COST;
}

/* What it costs that the run at `end` goes on there; at least `least`. */
static unsigned int run_cost(const struct placement *s, uint64_t end, unsigned int bin,
			     unsigned int least, const struct io_row *row)
{
	unsigned int found = 0, cost = least + tail_cost(s, end, row);
	uint64_t first = address_block(&s->space, end), distance;
	uint64_t last = address_block(&s->space, end + address_sectors(row->bytes) - 1);

	cost += MISFIT_COST * address_misfits(&s->space, end, row->bytes);
	first += reuse_is_of_second(s->p->block_offset_sectors, end, last - first + 1);
	if (lru_stack__find(s->stack, first, &distance))
		found = reuse_bin(distance);
	/* A run goes on over old blocks as it began, while such are lacking. */
	if (surplus(s, found))
		cost += apart(found, bin) + (!found != !bin ? 16 : 0) + 2 * surplus(s, found);
	return cost + (!found && !address_are_new(&s->space, first, last) ? 12 : 0);
}

/* Continues the run that suits best what the stream does: how new the block, how recent the run. */
static bool place_after(const struct placement *s, unsigned int stream, unsigned int bin,
			struct prng *random, struct io_row *row, const struct recent_ends *ends)
{
	unsigned int best = UINT32_MAX, rank = address_draw_rank(&s->space, stream, random);
	unsigned int best_run = 0;

	/* Those first whose rank suits best: most others cannot be better then. */
	for (unsigned int away = 0; away < 2 * PROFILE_RANK_BINS && 2 * away <= best; away++) {
		unsigned int of = away & 1 ? rank - (away + 1) / 2 : rank + away / 2;
		unsigned int from = of ? 1u << (of - 1) % PROFILE_RANK_BINS : 0;
		unsigned int end = of < PROFILE_RANK_BINS ? at_most(1u << of, ends->count) : 0;

		for (unsigned int i = from; i < end; i++) {
			unsigned int cost =
				4 * ((away + 1) / 2) + (ends->owners[i] == stream ? 0 : 6);

			if (cost > best || (cost == best && i > best_run) ||
			    !address_fits(&s->space, ends->ends[i], row->bytes))
				continue;
			cost = run_cost(s, ends->ends[i], bin, cost, row);
			if (cost > best || (cost == best && i > best_run))
				continue;
			best = cost;
			best_run = i;
			row->sector = ends->ends[i];
		}
	}
	return best != UINT32_MAX;
}

static void keep_below(struct lru_stack *stack, uint64_t blocks)
{
	while (lru_stack__blocks(stack) > blocks)
		lru_stack__drop_oldest(stack);
}

static int touch(struct placement *s, uint64_t block, uint64_t stands_for)
{
	uint64_t distance;
	int err = lru_stack__touch(s->stack, block, &distance);

	steer_note(&s->steer, distance == LRU_COLD ? 0 : distance_bin(distance), stands_for);
	return err;
}

/*
 * Touches the blocks of the last request; comes before anything that looks at the stack. The
 * first block is often shared with the request before, so it stands for itself alone.
 */
static int settle(struct placement *s)
{
	uint64_t count = s->count, step = (count + SAMPLES - 3) / (SAMPLES - 1);
	int err;

	s->count = 0;
	if (!count)
		return 0;
	err = touch(s, s->first, 1);
	if (!err)
		err = starts_add(&s->starts[s->start_class], lru_stack__top(s->stack), s->stack);
	for (uint64_t i = 1; i < count && !err; i += step) {
		uint64_t stands_for = step < count - i ? step : count - i;

		err = touch(s, s->first + i, stands_for);
		if (!err && stands_for > 1)
			err = lru_stack__push(s->stack, s->first + i + 1, stands_for - 1);
	}
	if (!err)
		keep_below(s->stack, PLACEMENT_BLOCKS_MAX);
	return err;
}

void placement__restart(struct placement *s)
{
	steer_restart(&s->steer);
}

int placement__progress(struct placement *s, uint32_t phase, uint64_t done, uint64_t total)
{
	int err = settle(s);

	address_space_enter(&s->space, phase);
	if (err || (phase == s->steer.phase && s->requests % STEER_EVERY))
		return err;
	steer_update(&s->steer, phase, done, total, lru_stack__blocks(s->stack));
	s->steered_at++;
	return err;
}

static void steer_reuse(const struct placement *s, const uint32_t *weights,
			struct steered_reuse *reuse)
{
	reuse->at = s->steered_at;
	reuse->sum = 0;
	for (unsigned int i = 0; i < reuse->end; i++)
		reuse->sum += reuse->weights[i] = (uint64_t)weights[i] * s->steer.factors[i];
}

/* How long ago the first block was touched, an octave; 0: never. */
static unsigned int draw_octave(struct placement *s, unsigned int stream, unsigned int size,
				struct prng *random)
{
	struct steered_reuse *reuse = &s->reuse[stream][size];
	uint64_t at;
	unsigned int i;

	if (reuse->at != s->steered_at)
		steer_reuse(s, s->p->streams[stream].reuse[size], reuse);
	if (!reuse->sum)
		return 0;
	at = prng_below(random, reuse->sum);
	for (i = 0; at >= reuse->weights[i]; i++)
		at -= reuse->weights[i];
	return i;
}

void placement__follow(struct placement *s, unsigned int stream, const struct io_row *row)
{
	struct recent_ends *ends = &s->ends[row->op == IO_OP_WRITE];

	if (!workload_blocks(row, s->p->block_offset_sectors, &s->first, &s->count))
		return;
	recent_ends_follow(ends, recent_ends_rank(ends, row->sector), row->sector, row->bytes,
			   stream);
	s->start_class = start_class(row->bytes);
	s->requests++;
	lru_stack__prefetch_range(s->stack, s->first,
				  s->count < PREFETCHED ? s->count : PREFETCHED);
}

void placement__place(struct placement *s, unsigned int stream, struct prng *random,
		      struct io_row *row)
{
	const struct profile_stream *model = &s->p->streams[stream];
	struct recent_ends *ends = &s->ends[row->op == IO_OP_WRITE];
	uint64_t blocks = (row->bytes + PAGE_BYTES - 1) / PAGE_BYTES;
	unsigned int octave;

	row->sector = 0;
	if (!row->bytes || row->op == IO_OP_FLUSH)
		return;
	if (row->op != IO_OP_READ && row->op != IO_OP_WRITE) {
		address_find_new(&s->space, stream, random, row, NULL);
		return;
	}
	s->space.at_begin =
		s->space.files.count && prng_below(random, 1000) < model->begin_permille;
	address_draw_fit(&s->space, stream, row->bytes, random);
	octave = draw_octave(s, stream, reuse_size(blocks), random);
	if (!(model->sequential && place_after(s, stream, octave, random, row, ends)) &&
	    !(octave && place_again(s, octave, random, row, ends)))
		address_find_new(&s->space, stream, random, row, ends);
	address_note_fit(&s->space, row->sector, row->bytes);
	placement__follow(s, stream, row);
}
