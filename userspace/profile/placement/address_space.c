// SPDX-License-Identifier: MIT
#include "profile/placement/address_space.h"

#include "profile/classes.h"

#define NEW_TRIES      16
#define NEW_STEPS      48
#define NEW_LOOKS      8 /* blocks of a request that must be new */
#define OLD_LOOKS      4 /* of one that must not be */
#define NEAR_RUN_TRIES 8

static void prepare_zones(struct zone_weights *w, const uint32_t *weights)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < PROFILE_ZONES; i++)
		w->up_to[i] = sum += weights[i];
}

/*
 * A zone by weight; any where all are zero. No branch depends on what is drawn: it would be guessed
 * wrong.
 */
static unsigned int draw_zone(const struct zone_weights *w, struct prng *random)
{
	uint64_t sum = w->up_to[PROFILE_ZONES - 1], at;
	unsigned int zone = 0;

	if (!sum)
		return (unsigned int)prng_below(random, PROFILE_ZONES);
	at = prng_below(random, sum);
	for (unsigned int half = PROFILE_ZONES / 2; half; half /= 2)
		zone += (w->up_to[zone + half - 1] <= at) * half;
	return zone;
}

void address_space_init(struct address_space *s, const struct profile *p, uint32_t space,
			const struct lru_stack *stack)
{
	*s = (struct address_space){
		.p = p,
		.stack = stack,
		.first_sector = p->spaces[space].first_sector,
		.end_sector = p->spaces[space].end_sector,
	};
	if (!s->end_sector) {
		s->first_sector = p->first_sector;
		s->end_sector = p->end_sector;
	}
	if (p->level == PROFILE_OF_FILES)
		file_layout_init(&s->files, &p->files);
	for (uint32_t i = 0; i < p->stream_count; i++) {
		s->streams[i].run_recency_sum =
			sum_of_weights(p->streams[i].run_recency, PROFILE_RUN_RECENCY_COLUMNS);
		s->streams[i].run_distance_sum =
			sum_of_weights(p->streams[i].run_distance, PROFILE_RUN_DISTANCE_COLUMNS);
		s->streams[i].aligned_sum =
			sum_of_weights(p->streams[i].aligned, PROFILE_ALIGNMENTS);
		prepare_zones(&s->streams[i].zones, p->streams[i].zones);
	}
	for (unsigned int i = 0; i <= PROFILE_ZONES; i++)
		s->zone_begins[i] = s->first_sector +
				    part_begin(s->end_sector - s->first_sector, i, PROFILE_ZONES);
}

/* An index by weight; -1 when all are zero. */
static int draw(struct prng *random, const uint32_t *weights, uint64_t sum)
{
	return sum ? prng_weighted_of(random, weights, sum) : -1;
}

unsigned int address_draw_recency(const struct address_space *s, unsigned int stream,
				  struct prng *random)
{
	int recency =
		draw(random, s->p->streams[stream].run_recency, s->streams[stream].run_recency_sum);

	return recency < 0 ? 0 : (unsigned int)recency;
}

/* Sectors that a start is a multiple of, counted from the block offset. */
static uint64_t draw_alignment(const struct address_space *s, unsigned int stream,
			       struct prng *random)
{
	const struct profile_stream *model = &s->p->streams[stream];
	int power = draw(random, model->aligned, s->streams[stream].aligned_sum);

	if (power >= 0)
		return 1ull << power;
	return BLOCK_SECTORS;
}

/* The last place at or before `sector` that is a multiple; below 4 KiB not of twice as much. */
static uint64_t align_down(const struct address_space *s, uint64_t align, uint64_t sector)
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
static uint64_t draw_in_zone(const struct address_space *s, const struct zone_weights *zones,
			     uint64_t align, struct prng *random, uint64_t bytes)
{
	uint64_t last = s->end_sector - address_sectors(bytes), begin, sector;
	unsigned int zone = draw_zone(zones, random);

	begin = s->zone_begins[zone];
	sector = begin + prng_below(random, s->zone_begins[zone + 1] - begin);
	sector = smaller_of(sector, last);
	begin = align_down(s, align, sector);
	return begin >= s->first_sector && begin <= last ? begin : sector;
}

static bool happens(struct prng *random, uint32_t permille)
{
	return permille && (permille == 1000 || prng_below(random, 1000) < permille);
}

/* Whether a request there touches a block more than its bytes need. */
static bool straddles(const struct address_space *s, uint64_t sector, uint64_t bytes)
{
	uint64_t first = (sector - s->p->block_offset_sectors) % BLOCK_SECTORS;

	return first + (address_sectors(bytes) - 1) % BLOCK_SECTORS >= BLOCK_SECTORS;
}

void address_draw_fit(struct address_space *s, unsigned int stream, uint64_t bytes,
		      struct prng *random)
{
	const struct profile_stream *model = &s->p->streams[stream];
	unsigned int size = reuse_size((bytes + PAGE_BYTES - 1) / PAGE_BYTES);

	s->fit.straddles = happens(random, model->straddle_permille[size]);
	/* Where too many straddle already, runs have to come back to where blocks begin. */
	s->fit.ends_block =
		bytes % PAGE_BYTES == 0
			? !s->fit.straddles
			: s->fit.surplus > 0 || happens(random, model->block_end_permille[size]);
}

void address_note_fit(struct address_space *s, uint64_t sector, uint64_t bytes)
{
	s->fit.surplus += straddles(s, sector, bytes) - s->fit.straddles;
}

unsigned int address_misfits(const struct address_space *s, uint64_t sector, uint64_t bytes)
{
	uint64_t end = sector + address_sectors(bytes) - s->p->block_offset_sectors;

	if (s->files.count)
		return 0;
	return (straddles(s, sector, bytes) != s->fit.straddles) +
	       ((end % BLOCK_SECTORS == 0) != s->fit.ends_block);
}

uint64_t address_suit(const struct address_space *s, uint64_t sector, uint64_t bytes)
{
	unsigned int least = address_misfits(s, sector, bytes);
	uint64_t best = sector;

	for (uint64_t at = sector + 1; least && at < sector + BLOCK_SECTORS; at++) {
		unsigned int misfits = address_misfits(s, at, bytes);

		if (misfits >= least || !address_fits(s, at, bytes))
			continue;
		least = misfits;
		best = at;
	}
	return best;
}

bool address_are_new(const struct address_space *s, uint64_t first, uint64_t last)
{
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

bool address_are_old(const struct address_space *s, uint64_t first, uint64_t last)
{
	uint64_t step = (last - first) / OLD_LOOKS + 1;

	if (step == 1)
		return lru_stack__contains(s->stack, last);
	for (uint64_t block = first + step - 1; block < last; block += step)
		if (!lru_stack__contains(s->stack, block))
			return false;
	return lru_stack__contains(s->stack, last);
}

bool address_is_new(const struct address_space *s, uint64_t sector, uint64_t bytes)
{
	return address_are_new(s, address_block(s, sector),
			       address_block(s, sector + address_sectors(bytes) - 1));
}

/* A number of an octave: 0, 1, 2-3, 4-7 ... */
static uint64_t draw_of_bits(unsigned int bits, struct prng *random)
{
	uint64_t low = bits ? 1ull << (bits - 1) : 0;

	return low + prng_below(random, low);
}

/* A new place not far from where a recent request ended. */
static bool place_near_run(const struct address_space *s, unsigned int stream, struct prng *random,
			   struct io_row *row, const struct recent_ends *ends)
{
	const struct profile_stream *model = &s->p->streams[stream];
	int bin = draw(random, model->run_distance, s->streams[stream].run_distance_sum);

	for (unsigned int tries = 0; bin > 0 && ends->count && tries < NEAR_RUN_TRIES; tries++) {
		uint64_t at = draw_of_bits(address_draw_recency(s, stream, random), random);
		uint64_t end = ends->ends[at < ends->count ? at : prng_below(random, ends->count)];
		bool after = bin <= 1 + PROFILE_RUN_DISTANCE_OCTAVES;
		uint64_t apart =
			BLOCK_SECTORS *
			draw_of_bits((unsigned int)(after ? bin - 1
							  : bin - 1 - PROFILE_RUN_DISTANCE_OCTAVES),
				     random);

		if (!after && end < apart)
			continue;
		row->sector = address_suit(s, after ? end + apart : end - apart, row->bytes);
		if (address_fits(s, row->sector, row->bytes) &&
		    address_is_new(s, row->sector, row->bytes) &&
		    recent_ends_rank(ends, row->sector) < 0)
			return true;
	}
	return false;
}

/*
 * Finds a new place in one of the zones; false: none was found, *sector is then a place that is not
 * new.
 */
static bool place_in_zones(const struct address_space *s, const struct zone_weights *zones,
			   uint64_t align, struct prng *random, const struct io_row *row,
			   const struct recent_ends *ends, uint64_t *sector)
{
	for (unsigned int tries = 0; tries < NEW_TRIES + NEW_STEPS; tries++) {
		if (tries <= NEW_TRIES || !address_fits(s, *sector + align, row->bytes))
			*sector = draw_in_zone(s, zones, align, random, row->bytes);
		else
			*sector += align;
		if (s->files.count)
			*sector = file_layout_fit(&s->files, *sector, row->bytes,
						  s->at_begin && tries <= NEW_TRIES);
		else
			*sector = address_suit(s, *sector, row->bytes);
		if (address_is_new(s, *sector, row->bytes) &&
		    (!ends || recent_ends_rank(ends, *sector) < 0))
			return true;
	}
	return false;
}

void address_find_new(const struct address_space *s, unsigned int stream, struct prng *random,
		      struct io_row *row, const struct recent_ends *ends)
{
	uint64_t align = draw_alignment(s, stream, random), sector = 0;

	if (ends && place_near_run(s, stream, random, row, ends))
		return;
	place_in_zones(s, &s->streams[stream].zones, align, random, row, ends, &sector);
	row->sector = sector;
}

uint64_t address_places(const struct address_space *s, uint64_t bytes, uint64_t *first)
{
	uint64_t offset =
		(s->p->block_offset_sectors + BLOCK_SECTORS - s->first_sector % BLOCK_SECTORS) %
		BLOCK_SECTORS;

	if (offset + address_sectors(bytes) > s->end_sector - s->first_sector)
		offset = 0;
	*first = s->first_sector + offset;
	return (s->end_sector - *first) / address_sectors(bytes);
}
