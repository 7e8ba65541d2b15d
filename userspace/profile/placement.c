#include "profile/placement.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "profile/bins.h"
#include "workload/lru_stack.h"
#include "workload/measure.h"
#include "workload/recent_ends.h"

#define REUSE_CANDIDATES     12
#define NEW_TRIES	     8
#define PLACEMENT_STARTS_MAX (PLACEMENT_BLOCKS_MAX / 8)
/* Exact sizes up to so many blocks are kept apart, larger ones by power of two. */
#define EXACT_CLASSES 32u
#define START_CLASSES (EXACT_CLASSES + 16)

struct placement {
	const struct profile *p;
	struct lru_stack *stack;
	struct lru_stack *starts[START_CLASSES]; /* first blocks of requests, by size */
	uint32_t sequence;			 /* of requests; kept with each block as its tag */
	struct recent_ends ends[2];		 /* of reads, of writes */
};

int placement__create(const struct profile *p, struct placement **placement)
{
	struct placement *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->p = p;
	if (lru_stack__create(&s->stack)) {
		free(s);
		return -ENOMEM;
	}
	*placement = s;
	return 0;
}

void placement__free(struct placement *s)
{
	if (!s)
		return;
	lru_stack__free(s->stack);
	for (unsigned int i = 0; i < START_CLASSES; i++)
		lru_stack__free(s->starts[i]);
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
	return sector >= s->p->first_sector && sector < s->p->end_sector &&
	       sectors_of(bytes) <= s->p->end_sector - sector;
}

static unsigned int start_class(uint64_t bytes)
{
	uint64_t blocks = (bytes + PAGE_BYTES - 1) / PAGE_BYTES;

	return blocks <= EXACT_CLASSES
		       ? (unsigned int)blocks - 1
		       : at_most(EXACT_CLASSES + bits_of(blocks - 1) - 6, START_CLASSES - 1);
}

/* Any place of a zone drawn by weight, where a block begins, back enough for the size. */
static uint64_t draw_in_zone(const struct placement *s, unsigned int stream, struct prng *random,
			     uint64_t bytes)
{
	const struct profile *p = s->p;
	uint64_t sectors = p->end_sector - p->first_sector,
		 last = p->end_sector - sectors_of(bytes);
	int zone = prng_weighted(random, p->streams[stream].zones, PROFILE_ZONES);
	uint64_t begin, end, sector;

	if (zone < 0)
		zone = (int)prng_below(random, PROFILE_ZONES);
	begin = p->first_sector + part_begin(sectors, (uint64_t)zone, PROFILE_ZONES);
	end = p->first_sector + part_begin(sectors, (uint64_t)zone + 1, PROFILE_ZONES);
	sector = begin + prng_below(random, end - begin);
	if (sector > last)
		sector = last;
	begin = sector_of(s, block_of(s, sector));
	return begin >= p->first_sector && begin <= last ? begin : sector;
}

static uint64_t place_new(const struct placement *s, unsigned int stream, struct prng *random,
			  const struct io_row *row, const struct recent_ends *ends)
{
	uint64_t sector = 0;

	for (unsigned int tries = 0; tries < NEW_TRIES; tries++) {
		sector = draw_in_zone(s, stream, random, row->bytes);
		if (!lru_stack__contains(s->stack, block_of(s, sector)) &&
		    (!ends || recent_ends_rank(ends, sector) < 0))
			break;
	}
	return sector;
}

static unsigned int apart(unsigned int a, unsigned int b)
{
	return a > b ? a - b : b - a;
}

/* The newest start of this size that is not newer than `sequence`; the stack is not empty. */
static uint64_t distance_at(const struct lru_stack *starts, uint32_t sequence)
{
	uint64_t low = 0, high = lru_stack__blocks(starts) - 1;

	while (low < high) {
		uint64_t middle = (low + high) / 2, block;
		uint32_t found;

		lru_stack__at(starts, middle, &block, &found);
		if ((int32_t)(found - sequence) <= 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Looks around a moment of the past for a start of the same size whose block suits the bin. */
static bool search_starts(const struct placement *s, const struct lru_stack *starts,
			  uint32_t sequence, unsigned int bin, struct io_row *row,
			  const struct recent_ends *ends)
{
	uint64_t at = distance_at(starts, sequence), count = lru_stack__blocks(starts);
	unsigned int least = UINT32_MAX;

	for (unsigned int i = 0; i < REUSE_CANDIDATES && least; i++) {
		uint64_t distance = i & 1 ? at + i / 2 + 1 : at - i / 2, block, sector;
		uint32_t tag;

		if (distance >= count)
			continue;
		lru_stack__at(starts, distance, &block, &tag);
		sector = sector_of(s, block);
		if (!lru_stack__find(s->stack, block, &distance, &tag) ||
		    !fits(s, sector, row->bytes) || recent_ends_rank(ends, sector) >= 0 ||
		    apart(reuse_bin(distance), bin) >= least)
			continue;
		least = apart(reuse_bin(distance), bin);
		row->sector = sector;
	}
	return least != UINT32_MAX;
}

static bool place_again(const struct placement *s, unsigned int bin, struct prng *random,
			struct io_row *row, const struct recent_ends *ends)
{
	uint64_t blocks = lru_stack__blocks(s->stack), low = (1ull << (bin - 1)) - 1;
	uint64_t high = (1ull << bin) - 2, block;
	const struct lru_stack *starts = s->starts[start_class(row->bytes)];
	uint32_t sequence;

	if (!blocks)
		return false;
	if (low >= blocks)
		low = blocks / 2;
	if (high >= blocks)
		high = blocks - 1;
	lru_stack__at(s->stack, low + prng_below(random, high - low + 1), &block, &sequence);
	if (starts && search_starts(s, starts, sequence, bin, row, ends))
		return true;
	row->sector = sector_of(s, block);
	return fits(s, row->sector, row->bytes) && recent_ends_rank(ends, row->sector) < 0;
}

/* Continues the run that suits best what the stream does: how new the block, how recent the run. */
static bool place_after(const struct placement *s, unsigned int stream, unsigned int bin,
			struct prng *random, struct io_row *row, const struct recent_ends *ends)
{
	int rank = prng_weighted(random, s->p->streams[stream].ranks, PROFILE_RANK_BINS);
	unsigned int best = UINT32_MAX;

	for (unsigned int i = 0; i < ends->count; i++) {
		unsigned int found = 0, cost;
		uint64_t distance;
		uint32_t tag;

		if (!fits(s, ends->ends[i], row->bytes))
			continue;
		if (lru_stack__find(s->stack, block_of(s, ends->ends[i]), &distance, &tag))
			found = reuse_bin(distance);
		cost = 4 * apart(rank_bin(i), rank < 0 ? 0 : (unsigned int)rank) +
		       apart(found, bin) + (!found != !bin ? 16 : 0) +
		       (ends->owners[i] == stream ? 0 : 6);
		if (cost >= best)
			continue;
		best = cost;
		row->sector = ends->ends[i];
	}
	return best != UINT32_MAX;
}

static void keep_below(struct lru_stack *stack, uint64_t blocks)
{
	while (lru_stack__blocks(stack) > blocks)
		lru_stack__drop_oldest(stack);
}

static int touch(struct placement *s, const struct io_row *row)
{
	struct lru_stack **starts = &s->starts[start_class(row->bytes)];
	uint64_t first, count, distance;
	int err = 0;

	if (!workload_blocks(row, s->p->block_offset_sectors, &first, &count))
		return 0;
	s->sequence++;
	if (!*starts)
		err = lru_stack__create(starts);
	if (!err)
		err = lru_stack__touch(*starts, first, s->sequence, &distance);
	for (uint64_t i = 0; i < count && !err; i++)
		err = lru_stack__touch(s->stack, first + i, s->sequence, &distance);
	if (err)
		return err;
	keep_below(*starts, PLACEMENT_STARTS_MAX);
	keep_below(s->stack, PLACEMENT_BLOCKS_MAX);
	return 0;
}

int placement__follow(struct placement *s, unsigned int stream, const struct io_row *row)
{
	struct recent_ends *ends = &s->ends[row->op == IO_OP_WRITE];

	if (row->op != IO_OP_READ && row->op != IO_OP_WRITE)
		return 0;
	if (!row->bytes)
		return 0;
	recent_ends_add(ends, recent_ends_rank(ends, row->sector),
			row->sector + row->bytes / SECTOR_BYTES, stream);
	return touch(s, row);
}

int placement__place(struct placement *s, unsigned int stream, struct prng *random,
		     struct io_row *row)
{
	const struct profile_stream *model = &s->p->streams[stream];
	struct recent_ends *ends = &s->ends[row->op == IO_OP_WRITE];
	uint64_t blocks = (row->bytes + PAGE_BYTES - 1) / PAGE_BYTES;
	int bin;

	row->sector = 0;
	if (!row->bytes || row->op == IO_OP_FLUSH)
		return 0;
	if (row->op != IO_OP_READ && row->op != IO_OP_WRITE) {
		row->sector = place_new(s, stream, random, row, NULL);
		return 0;
	}
	bin = prng_weighted(random, model->reuse[reuse_size(blocks)], PROFILE_REUSE_BINS);
	if (bin < 0)
		bin = 0;
	if (!(model->sequential && place_after(s, stream, (unsigned int)bin, random, row, ends)) &&
	    !(bin && place_again(s, (unsigned int)bin, random, row, ends)))
		row->sector = place_new(s, stream, random, row, ends);
	return placement__follow(s, stream, row);
}
