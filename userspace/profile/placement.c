#include "profile/placement.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "profile/bins.h"
#include "profile/file_layout.h"
#include "profile/starts.h"
#include "profile/steer.h"
#include "profile/zone_phases.h"
#include "workload/lru_stack.h"
#include "workload/measure.h"
#include "workload/recent_ends.h"

#define CANDIDATES	  4
#define ENTRIES_LOOKED_AT 24
#define NEW_TRIES	  16
#define TAIL_COST	  24
#define NEW_STEPS	  48
#define NEW_LOOKS	  8 /* blocks of a request that must be new */
#define NEAR_TRIES	  8
#define SAMPLES		  4   /* blocks of a request whose distance is noted */
#define PREFETCHED	  256 /* blocks of a request, every eighth */
#define LINE_BLOCKS	  8   /* that block_map keeps together */
#define STEER_EVERY	  32  /* IOs */
#define OLDEST_SHARE	  24  /* of all blocks, where none was touched as long ago as one should */
/* Exact sizes up to so many blocks are kept apart, larger ones by power of two. */
#define EXACT_CLASSES 32u
#define START_CLASSES (EXACT_CLASSES + 16)

/* What is drawn from again and again, of a stream. */
struct stream_draws {
	uint64_t rank_sum, near_sum, aligned_sum;
	const uint32_t *zones; /* of this phase */
	struct steered_reuse {
		uint32_t at; /* steered_at of the factors that it was made with */
		unsigned int end;
		uint64_t sum, weights[PROFILE_REUSE_BINS];
	} reuse[PROFILE_REUSE_SIZES];
};

struct placement {
	const struct profile *p;
	uint64_t first_sector, end_sector;
	struct file_layout
		files; /* no request goes beyond the end of one; count 0: there are none */
	bool at_begin; /* the request begins where a file does, unless it goes on */
	struct lru_stack *stack;
	struct starts starts[START_CLASSES]; /* first blocks of requests, by size */
	struct steer steer;
	uint32_t requests;	    /* so far */
	struct recent_ends ends[2]; /* of reads, of writes */
	/* Blocks of the last request, not touched yet: what that needs is fetched meanwhile. */
	uint64_t first, count;
	unsigned int start_class;
	uint32_t zone_phase;
	uint32_t steered_at; /* how often the factors were set */
	struct stream_draws draws[PROFILE_STREAMS_MAX];
};

static void move_starts(void *context)
{
	struct placement *s = context;

	for (unsigned int i = 0; i < START_CLASSES; i++)
		starts_move(&s->starts[i], s->stack);
}

static uint64_t sum_of(const uint32_t *weights, unsigned int count)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += weights[i];
	return sum;
}

static void prepare_draws(struct placement *s)
{
	for (uint32_t i = 0; i < s->p->stream_count; i++) {
		const struct profile_stream *stream = &s->p->streams[i];
		struct stream_draws *draws = &s->draws[i];

		draws->rank_sum = sum_of(stream->ranks, PROFILE_RANK_BINS);
		draws->near_sum = sum_of(stream->near, PROFILE_NEAR_BINS);
		draws->aligned_sum = sum_of(stream->aligned, PROFILE_ALIGNMENTS);
		for (unsigned int j = 0; j < PROFILE_REUSE_SIZES; j++)
			for (unsigned int bin = 0; bin < PROFILE_REUSE_BINS; bin++)
				if (stream->reuse[j][bin])
					draws->reuse[j].end = bin + 1;
	}
}

static void choose_zones(struct placement *s, uint32_t phase)
{
	s->zone_phase = phase;
	for (uint32_t i = 0; i < s->p->stream_count; i++)
		s->draws[i].zones = zone_phases_row(&s->p->streams[i], phase);
}

/* An index by weight; -1 when all are zero. */
static int draw(struct prng *random, const uint32_t *weights, uint64_t sum)
{
	return sum ? prng_weighted_of(random, weights, sum) : -1;
}

int placement__create(const struct profile *p, uint32_t space, struct placement **placement)
{
	struct placement *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->p = p;
	s->first_sector = p->spaces[space].first_sector;
	s->end_sector = p->spaces[space].end_sector;
	if (!s->end_sector) {
		s->first_sector = p->first_sector;
		s->end_sector = p->end_sector;
	}
	prepare_draws(s);
	if (p->level == PROFILE_OF_FILES)
		file_layout_init(&s->files, &p->files);
	choose_zones(s, 0);
	steer_init(&s->steer, p, space);
	if (lru_stack__create(&s->stack)) {
		free(s);
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

static uint64_t sectors_of(uint64_t bytes)
{
	return (bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;
}

static uint64_t block_of(const struct placement *s, uint64_t sector)
{
	return (sector + BLOCK_SECTORS - s->p->block_offset_sectors) / BLOCK_SECTORS;
}

static uint64_t sector_of(const struct placement *s, uint64_t block)
{
	return block * BLOCK_SECTORS - BLOCK_SECTORS + s->p->block_offset_sectors;
}

static bool fits(const struct placement *s, uint64_t sector, uint64_t bytes)
{
	return sector >= s->first_sector && sector < s->end_sector &&
	       sectors_of(bytes) <= s->end_sector - sector &&
	       (!s->files.count || file_layout_holds(&s->files, sector, bytes));
}

static unsigned int start_class(uint64_t bytes)
{
	uint64_t blocks = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;

	return blocks <= EXACT_CLASSES
		       ? (unsigned int)blocks - 1
		       : at_most(EXACT_CLASSES + bits_of(blocks - 1) - 6, START_CLASSES - 1);
}

/* Sectors that a start is a multiple of, counted from the block offset. */
static uint64_t draw_alignment(const struct placement *s, unsigned int stream, struct prng *random)
{
	const struct profile_stream *model = &s->p->streams[stream];
	int power = draw(random, model->aligned, s->draws[stream].aligned_sum);

	if (power >= 0)
		return 1ull << power;
	return model->align_sectors ? model->align_sectors : BLOCK_SECTORS;
}

/* The last place at or before `sector` that is a multiple; below 4 KiB not of twice as much. */
static uint64_t align_down(const struct placement *s, uint64_t align, uint64_t sector)
{
	uint64_t offset = s->p->block_offset_sectors;

	if (sector < offset)
		return sector;
	sector -= (sector - offset) % align;
	if (align < BLOCK_SECTORS && (sector - offset) % (2 * align) == 0 &&
	    sector >= align + s->first_sector)
		sector -= align;
	return sector;
}

/* Any place of a zone drawn by weight, where requests begin, back enough for the size. */
static uint64_t draw_in_zone(const struct placement *s, const uint32_t *zones, uint64_t align,
			     struct prng *random, uint64_t bytes)
{
	uint64_t sectors = s->end_sector - s->first_sector,
		 last = s->end_sector - sectors_of(bytes);
	int zone = prng_weighted(random, zones, PROFILE_ZONES);
	uint64_t begin, end, sector;

	if (zone < 0)
		zone = (int)prng_below(random, PROFILE_ZONES);
	begin = s->first_sector + part_begin(sectors, (uint64_t)zone, PROFILE_ZONES);
	end = s->first_sector + part_begin(sectors, (uint64_t)zone + 1, PROFILE_ZONES);
	sector = begin + prng_below(random, end - begin);
	if (sector > last)
		sector = last;
	begin = align_down(s, align, sector);
	return begin >= s->first_sector && begin <= last ? begin : sector;
}

/* Neither its first nor its last block was touched before, nor one of some in between. */
static bool is_new(const struct placement *s, uint64_t sector, uint64_t bytes)
{
	uint64_t first = block_of(s, sector), last = block_of(s, sector + sectors_of(bytes) - 1);
	uint64_t step = (last - first) / NEW_LOOKS + 1;

	if (step == 1)
		return !lru_stack__contains_any(s->stack, first, last - first + 1);
	if (lru_stack__contains(s->stack, last))
		return false;
	for (uint64_t block = first; block < last; block += step)
		if (lru_stack__contains(s->stack, block))
			return false;
	return true;
}

/* Whether the stream goes to new places in that zone or next to it in this phase, if phases differ. */
static bool is_in_zones(const struct placement *s, unsigned int stream, uint64_t sector)
{
	const uint32_t *zones = s->draws[stream].zones;
	uint64_t zone =
		part_of(s->end_sector - s->first_sector, sector - s->first_sector, PROFILE_ZONES);

	return zones == s->p->streams[stream].zones || zones[zone] || (zone && zones[zone - 1]) ||
	       (zone + 1 < PROFILE_ZONES && zones[zone + 1]);
}

/* A number of a bin of 0, 1, 2-3, 4-7 ... */
static uint64_t draw_of_bits(unsigned int bits, struct prng *random)
{
	uint64_t low = bits ? 1ull << (bits - 1) : 0;

	return low + prng_below(random, low);
}

/* A new place not far from where a recent request ended. */
static bool place_near(const struct placement *s, unsigned int stream, struct prng *random,
		       struct io_row *row, const struct recent_ends *ends, bool anywhere)
{
	const struct profile_stream *model = &s->p->streams[stream];
	int bin = draw(random, model->near, s->draws[stream].near_sum);

	for (unsigned int tries = 0; bin > 0 && ends->count && tries < NEAR_TRIES; tries++) {
		int rank = draw(random, model->ranks, s->draws[stream].rank_sum);
		uint64_t at = draw_of_bits(rank < 0 ? 0 : (unsigned int)rank, random);
		uint64_t end = ends->ends[at < ends->count ? at : prng_below(random, ends->count)];
		bool after = bin <= 1 + PROFILE_NEAR_OCTAVES;
		uint64_t apart =
			BLOCK_SECTORS *
			draw_of_bits(
				(unsigned int)(after ? bin - 1 : bin - 1 - PROFILE_NEAR_OCTAVES),
				random);

		if (!after && end < apart)
			continue;
		row->sector = after ? end + apart : end - apart;
		if (fits(s, row->sector, row->bytes) &&
		    (anywhere || is_in_zones(s, stream, row->sector)) &&
		    is_new(s, row->sector, row->bytes) && recent_ends_rank(ends, row->sector) < 0)
			return true;
	}
	return false;
}

/* A new place in one of the zones; false when none was found, *sector is one then that is not new. */
static bool place_in_zones(const struct placement *s, const uint32_t *zones, uint64_t align,
			   struct prng *random, const struct io_row *row,
			   const struct recent_ends *ends, uint64_t *sector)
{
	for (unsigned int tries = 0; tries < NEW_TRIES + NEW_STEPS; tries++) {
		if (tries <= NEW_TRIES || !fits(s, *sector + align, row->bytes))
			*sector = draw_in_zone(s, zones, align, random, row->bytes);
		else
			*sector += align;
		if (s->files.count)
			*sector = file_layout_fit(&s->files, *sector, row->bytes,
						  s->at_begin && tries <= NEW_TRIES);
		if (is_new(s, *sector, row->bytes) &&
		    (!ends || recent_ends_rank(ends, *sector) < 0))
			return true;
	}
	return false;
}

static void place_new(const struct placement *s, unsigned int stream, struct prng *random,
		      struct io_row *row, const struct recent_ends *ends)
{
	const uint32_t *all = s->p->streams[stream].zones, *zones = s->draws[stream].zones;
	uint64_t align = draw_alignment(s, stream, random), sector = 0;

	if (ends && place_near(s, stream, random, row, ends, false))
		return;
	if (!place_in_zones(s, zones, align, random, row, ends, &sector) && zones != all) {
		/* Those of this phase are full. */
		if (ends && place_near(s, stream, random, row, ends, true))
			return;
		place_in_zones(s, all, align, random, row, ends, &sector);
	}
	row->sector = sector;
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
		candidate.sector = sector_of(s, lru_stack__block(s->stack, start));
		if (!fits(s, candidate.sector, row->bytes) ||
		    (s->at_begin && !file_layout_is_begin(&s->files, candidate.sector)) ||
		    recent_ends_rank(ends, candidate.sector) >= 0)
			continue;
		candidate.last_block = block_of(s, candidate.sector + sectors_of(row->bytes) - 1);
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
	if (starts->count && search_starts(s, starts, place, distance_bin(low), row, ends))
		return true;
	row->sector = sector_of(s, lru_stack__block(s->stack, place));
	if (s->files.count)
		row->sector = file_layout_fit(&s->files, row->sector, row->bytes, s->at_begin);
	return fits(s, row->sector, row->bytes) && recent_ends_rank(ends, row->sector) < 0;
}

/* A read of no whole pages is mostly the last of its file, and none of whole pages is. */
static unsigned int tail_cost(const struct placement *s, uint64_t sector, const struct io_row *row)
{
	bool is_tail = row->bytes % PAGE_BYTES;

	if (!s->files.count || row->op != IO_OP_READ)
		return 0;
	return is_tail == file_layout_ends(&s->files, sector, row->bytes) ? 0 : TAIL_COST;
}

/* What it costs that the run at `end` goes on there; at least `least`. */
static unsigned int run_cost(const struct placement *s, uint64_t end, unsigned int bin,
			     unsigned int least, const struct io_row *row)
{
	unsigned int found = 0, cost = least + tail_cost(s, end, row);
	uint64_t distance;

	if (lru_stack__find(s->stack, block_of(s, end), &distance))
		found = reuse_bin(distance);
	/* A run goes on over old blocks as it began, while such are lacking. */
	if (surplus(s, found))
		cost += apart(found, bin) + (!found != !bin ? 16 : 0) + 2 * surplus(s, found);
	return cost + (!found && !is_new(s, end, row->bytes) ? 12 : 0);
}

/* Continues the run that suits best what the stream does: how new the block, how recent the run. */
static bool place_after(const struct placement *s, unsigned int stream, unsigned int bin,
			struct prng *random, struct io_row *row, const struct recent_ends *ends)
{
	int drawn = draw(random, s->p->streams[stream].ranks, s->draws[stream].rank_sum);
	unsigned int best = UINT32_MAX, rank = drawn < 0 ? 0 : (unsigned int)drawn;
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
			    !fits(s, ends->ends[i], row->bytes))
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

	if (phase != s->zone_phase)
		choose_zones(s, phase);
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
	struct steered_reuse *reuse = &s->draws[stream].reuse[size];
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
	for (uint64_t i = 0; i < s->count && i < PREFETCHED; i += LINE_BLOCKS)
		lru_stack__prefetch(s->stack, s->first + i);
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
		place_new(s, stream, random, row, NULL);
		return;
	}
	s->at_begin = s->files.count && prng_below(random, 1000) < model->begin_permille;
	octave = draw_octave(s, stream, reuse_size(blocks), random);
	if (!(model->sequential && place_after(s, stream, octave, random, row, ends)) &&
	    !(octave && place_again(s, octave, random, row, ends)))
		place_new(s, stream, random, row, ends);
	placement__follow(s, stream, row);
}
