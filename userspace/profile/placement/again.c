// SPDX-License-Identifier: MIT
#include "profile/placement/state.h"

#include "profile/classes.h"

#define CANDIDATES	  4
#define ENTRIES_LOOKED_AT 24
#define FAR_OFF		  8 /* a start costs more that is not within an octave of as far as wanted, */
#define FAR_OFF_OF_MANY \
	24 /* for more than one block within three: what lies behind a start was touched, too */
#define LAST_OP_TRIES 8	 /* blocks looked at for one that the right op touched last */
#define OLDEST_SHARE  24 /* of all blocks, where none was touched as long ago as one should */

/* A start that a request may have, and what it costs to take it. */
struct candidate {
	uint64_t sector, last_block;
	unsigned int cost;
};

/* What the last block of a request costs. */
static unsigned int end_cost(const struct placement *s, uint64_t last_block,
			     const struct io_row *row)
{
	uint64_t distance;
	unsigned int found = 0;

	if (row->bytes <= PAGE_BYTES)
		return 0;
	if (lru_stack__find(s->stack, last_block, &distance))
		found = reuse_octave(distance);
	return surplus(s, found, row->op == IO_OP_WRITE);
}

/* Looks around a position for run starts of the same size; the cheapest first. */
static unsigned int find_candidates(const struct placement *s, const struct run_starts *starts,
				    uint32_t place, unsigned int bin, const struct io_row *row,
				    const struct recent_ends *ends,
				    struct candidate found[CANDIDATES])
{
	uint32_t from = run_starts_from(starts, place), up = from, down = from;
	unsigned int count = 0;

	for (uint32_t i = 0; i < CANDIDATES / 2; i++) {
		if (up + i < starts->count)
			lru_stack__prefetch_block(s->stack, starts->positions[up + i]);
		if (down > i)
			lru_stack__prefetch_block(s->stack, starts->positions[down - i - 1]);
	}
	for (unsigned int i = 0; i < ENTRIES_LOOKED_AT && count < CANDIDATES; i++) {
		struct candidate candidate;
		unsigned int at = count;
		uint32_t start;

		if (i & 1 ? !down : up == starts->count)
			continue;
		start = starts->positions[i & 1 ? --down : up++];
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
		candidate.cost =
			2 * (unsigned int)apart(
				    distance_column(lru_stack__distance(s->stack, start)), bin);
		for (; at && found[at - 1].cost > candidate.cost; at--)
			found[at] = found[at - 1];
		found[at] = candidate;
		count++;
	}
	return count;
}

/* Finds a start of the same size near a position whose blocks suit. */
static bool search_starts(const struct placement *s, const struct run_starts *starts,
			  uint32_t place, unsigned int bin, struct io_row *row,
			  const struct recent_ends *ends)
{
	struct candidate found[CANDIDATES];
	unsigned int count = find_candidates(s, starts, place, bin, row, ends, found);
	unsigned int least = UINT32_MAX;

	if (count && found[0].cost > (row->bytes <= PAGE_BYTES ? FAR_OFF : FAR_OFF_OF_MANY))
		return false;
	for (unsigned int i = 0; i < count && found[i].cost < least; i++) {
		unsigned int cost = found[i].cost + end_cost(s, found[i].last_block, row);

		if (cost >= least)
			continue;
		least = cost;
		row->sector = found[i].sector;
	}
	return count;
}

/* Run starts of a size: of the op that should have touched them last, or of either. */
static const struct run_starts *starts_of(const struct placement *s, const struct wanted *wanted,
					  unsigned int class, struct prng *random)
{
	uint64_t reads = s->starts[0][class].count, writes = s->starts[1][class].count;
	bool after_write = wanted->after_write;

	if (!wanted->last_op_known)
		after_write = writes && prng_below(random, reads + writes) < writes;
	return &s->starts[after_write][class];
}

/* Distances of an octave, in one quarter of it. */
struct far {
	uint64_t low, high;
};

static struct far distances_of(const struct placement *s, unsigned int octave, struct prng *random)
{
	uint64_t blocks = lru_stack__blocks(s->stack), first = 1ull << (octave - 1);
	unsigned int quarter = feedback_quarter(&s->feedback, octave, random);
	struct far far = {first + first * quarter / 4 - 1, first + first * (quarter + 1) / 4 - 1};

	/* The first octave has one distance, the second two. */
	far.high -= far.high > far.low;
	if (far.low >= blocks)
		far.low = blocks - blocks / OLDEST_SHARE - 1;
	if (far.high >= blocks)
		far.high = blocks - 1;
	far.high = larger_of(far.high, far.low);
	return far;
}

/* A block at this distance, touched last by the right op if that is known and soon found. */
static uint64_t draw_block(const struct placement *s, const struct wanted *wanted,
			   const struct far *far, struct prng *random)
{
	uint32_t place;

	for (unsigned int tries = 0; tries < LAST_OP_TRIES; tries++) {
		place = lru_stack__at(s->stack,
				      far->low + prng_below(random, far->high - far->low + 1));
		if (!wanted->last_op_known ||
		    lru_stack__is_marked(s->stack, place) == wanted->after_write)
			break;
	}
	return lru_stack__block(s->stack, place);
}

bool place_again(const struct placement *s, const struct wanted *wanted, struct prng *random,
		 struct io_row *row, const struct recent_ends *ends)
{
	unsigned int class = start_class(row->bytes);
	const struct run_starts *starts;
	uint64_t distance;
	struct far far;

	if (!lru_stack__blocks(s->stack))
		return false;
	far = distances_of(s, wanted->octave, random);
	starts = starts_of(s, wanted, class, random);
	distance = far.low + prng_below(random, far.high - far.low + 1);
	/* A request of several blocks that begins with the block touched last repeats no other: it goes on. */
	if (starts->count && (distance || row->bytes <= PAGE_BYTES) &&
	    search_starts(s, starts, lru_stack__at(s->stack, distance), distance_column(distance),
			  row, ends)) {
		uint64_t better = address_suit(&s->space, row->sector, row->bytes);

		if (recent_ends_rank(ends, better) < 0)
			row->sector = better;
		return true;
	}
	row->sector = address_sector(&s->space, draw_block(s, wanted, &far, random));
	if (s->space.files.count)
		row->sector = file_layout_fit(&s->space.files, row->sector, row->bytes,
					      s->space.at_begin);
	else
		row->sector = address_suit(&s->space, row->sector, row->bytes);
	return address_fits(&s->space, row->sector, row->bytes) &&
	       recent_ends_rank(ends, row->sector) < 0;
}
