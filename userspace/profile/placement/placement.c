// SPDX-License-Identifier: MIT
#include "profile/placement/placement.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "profile/placement/address_space.h"
#include "profile/classes.h"
#include "profile/file_layout.h"
#include "profile/placement/place_rules.h"
#include "profile/placement/run_starts.h"
#include "profile/placement/feedback.h"
#include "workload/lru/lru_stack.h"
#include "workload/figures/measure.h"
#include "workload/figures/recent_ends.h"

#define CANDIDATES	  4
#define ENTRIES_LOOKED_AT 24
#define TAIL_COST	  24
#define MISFIT_COST	  14
#define UNFIT_COST	  12
#define SURPLUS_COST	  4
#define BACKLOG_SHARE	  8
#define BACKLOG_MAX	  32
#define SAMPLES		  4   /* blocks of a request whose distance is noted */
#define PREFETCHED	  256 /* blocks of a request */
#define FEEDBACK_EVERY	  32  /* IOs */
#define FAR_OFF		  8 /* a start costs more that is not within an octave of as far as wanted, */
#define FAR_OFF_OF_MANY \
	24 /* for more than one block within three: what lies behind a start was touched, too */
#define LAST_OP_COST  8
#define LAST_OP_TRIES 8	 /* blocks looked at for one that the right op touched last */
#define OLDEST_SHARE  24 /* of all blocks, where none was touched as long ago as one should */
/* Exact sizes up to so many blocks are kept apart, larger ones by power of two. */
#define EXACT_CLASSES 32u
#define START_CLASSES (EXACT_CLASSES + 16)

/* What is drawn from again and again, of a stream and a size. */
struct reuse_weights {
	uint32_t at; /* factors_at of the factors that it was made with */
	unsigned int end;
	uint64_t sum, weights[PROFILE_REUSE_OCTAVES];
};

struct placement {
	const struct profile *p;
	struct address_space space;
	struct lru_stack *stack;
	struct run_starts starts[2][START_CLASSES]; /* first blocks of reads, of writes, by size */
	struct feedback feedback;
	uint32_t requests; /* so far */
	/*
	 * Backlog: requests of reads and of writes that should have continued a run; and its limit.
	 */
	unsigned int backlog[2], backlog_max[2];
	struct recent_ends ends[2]; /* of reads, of writes */
	/* Blocks of the last request, not touched yet: what that needs is fetched meanwhile. */
	uint64_t first, count;
	bool writes;
	unsigned int start_class;
	uint32_t factors_at; /* how often the factors were set */
	struct reuse_weights reuse[PROFILE_STREAMS_MAX][PROFILE_REUSE_SIZES];
	struct place_rules rules;
};

static void move_starts(void *context)
{
	struct placement *s = context;

	for (unsigned int op = 0; op < 2; op++)
		for (unsigned int i = 0; i < START_CLASSES; i++)
			run_starts_move(&s->starts[op][i], s->stack);
}

static void find_ends(struct placement *s)
{
	for (uint32_t i = 0; i < s->p->stream_count; i++)
		for (unsigned int j = 0; j < PROFILE_REUSE_SIZES; j++)
			for (unsigned int bin = 0; bin < PROFILE_REUSE_OCTAVES; bin++)
				if (s->p->streams[i].reuse[j][bin])
					s->reuse[i][j].end = bin + 1;
}

static int expect_blocks(const struct placement *s)
{
	uint64_t first = address_block(&s->space, s->space.first_sector);
	uint64_t end = address_block(&s->space, s->space.end_sector) + 1;

	return end > first ? lru_stack__expect(s->stack, first, end - first) : 0;
}

/* The backlog may be as long as others will soon be there to take it. */
static void find_backlog_max(struct placement *s, uint32_t space)
{
	uint64_t random[2] = {0};

	for (uint32_t i = 0; i < s->p->stream_count; i++) {
		const struct profile_stream *stream = &s->p->streams[i];

		if (!stream->sequential && stream->space == space &&
		    (stream->op == IO_OP_READ || stream->op == IO_OP_WRITE))
			random[stream->op == IO_OP_WRITE] += stream->ios;
	}
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t most = random[i] / BACKLOG_SHARE;

		s->backlog_max[i] = most < BACKLOG_MAX ? (unsigned int)most : BACKLOG_MAX;
	}
}

int placement__create(const struct profile *p, uint32_t space, struct placement **placement)
{
	struct placement *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->p = p;
	find_ends(s);
	find_backlog_max(s, space);
	feedback_init(&s->feedback, p, space);
	if (lru_stack__create(&s->stack)) {
		free(s);
		return -ENOMEM;
	}
	address_space_init(&s->space, p, space, s->stack);
	if (place_rules_init(&s->rules, p, space, &s->space) || expect_blocks(s) ||
	    lru_stack__keep_marks(s->stack)) {
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
	place_rules_release(&s->rules);
	for (unsigned int op = 0; op < 2; op++)
		for (unsigned int i = 0; i < START_CLASSES; i++)
			run_starts_release(&s->starts[op][i]);
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

/*
 * What a request should touch: a block of this age (0: new) and, if known, which op touched it
 * last.
 */
struct wanted {
	unsigned int octave;
	bool last_op_known, after_write;
};

/* Cost of a block of this age: 0 if such blocks lack, up to 6 if too many came. */
static unsigned int surplus(const struct placement *s, unsigned int octave, bool is_write)
{
	uint32_t factor = feedback_factor(&s->feedback, octave, is_write);

	return factor >= 2 * FEEDBACK_EVEN  ? 0
	       : factor >= FEEDBACK_EVEN    ? 1
	       : factor > FEEDBACK_EVEN / 2 ? 3
					    : 6;
}

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
			2 * apart(distance_column(lru_stack__distance(s->stack, start)), bin);
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
	unsigned int quarter = feedback_quarter(&s->feedback, octave, prng_next(random));
	struct far far = {first + first * quarter / 4 - 1, first + first * (quarter + 1) / 4 - 1};

	/* The first octave has one distance, the second two. */
	far.high -= far.high > far.low;
	if (far.low >= blocks)
		far.low = blocks - blocks / OLDEST_SHARE - 1;
	if (far.high >= blocks)
		far.high = blocks - 1;
	if (far.high < far.low)
		far.high = far.low;
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

static bool place_again(const struct placement *s, const struct wanted *wanted, struct prng *random,
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
	if (starts->count && search_starts(s, starts, lru_stack__at(s->stack, distance),
					   distance_column(distance), row, ends)) {
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

/*
 * Cost of continuing the run at `end`, at least `least`; stops above `most`. *unfit: it would go to
 * new blocks of which there are too many, or not to new ones although such were drawn.
 */
static unsigned int run_cost(const struct placement *s, uint64_t end, const struct wanted *wanted,
			     unsigned int least, unsigned int most, const struct io_row *row,
			     bool *unfit)
{
	bool is_new = false;
	unsigned int found = 0, cost = least + tail_cost(s, end, row);
	uint64_t first = address_block(&s->space, end);
	uint32_t place;
	uint64_t last = address_block(&s->space, end + address_sectors(row->bytes) - 1);

	cost += MISFIT_COST * address_misfits(&s->space, end, row->bytes);
	if (cost > most)
		return cost;
	first += reuse_is_of_second(s->p->block_offset_sectors, end, last - first + 1);
	if (lru_stack__look_up(s->stack, first, &place)) {
		found = reuse_octave(lru_stack__distance(s->stack, place));
		if (wanted->last_op_known &&
		    lru_stack__is_marked(s->stack, place) != wanted->after_write)
			cost += LAST_OP_COST;
	}
	/* A run goes on over old blocks as it began, while such are lacking. */
	if (surplus(s, found, row->op == IO_OP_WRITE))
		cost += apart(found, wanted->octave) + (!found != !wanted->octave ? 16 : 0) +
			SURPLUS_COST * surplus(s, found, row->op == IO_OP_WRITE);
	if (cost > most)
		return cost;
	if (!found)
		is_new = address_are_new(&s->space, first, last);
	if (feedback_new_too_many(&s->feedback, row->op == IO_OP_WRITE))
		*unfit = !found || !address_are_old(&s->space, first, last);
	else
		*unfit = !wanted->octave && !is_new;
	if (found && *unfit)
		cost += UNFIT_COST;
	return cost + (!found && !is_new ? 12 : 0);
}

/* Continues the run that suits best what the stream does: how new the block, how recent the run. */
static bool place_after(const struct placement *s, unsigned int stream, const struct wanted *wanted,
			struct prng *random, struct io_row *row, const struct recent_ends *ends,
			bool *unfit)
{
	unsigned int best = UINT32_MAX, recency = address_draw_recency(&s->space, stream, random);
	unsigned int best_run = 0;

	/* The runs whose recency suits come first: most others cannot be better then. */
	for (unsigned int away = 0; away < 2 * PROFILE_RUN_RECENCY_COLUMNS && 2 * away <= best;
	     away++) {
		unsigned int of = away & 1 ? recency - (away + 1) / 2 : recency + away / 2;
		unsigned int from = of ? 1u << (of - 1) % PROFILE_RUN_RECENCY_COLUMNS : 0;
		unsigned int end =
			of < PROFILE_RUN_RECENCY_COLUMNS ? at_most(1u << of, ends->count) : 0;

		for (unsigned int i = from; i < end; i++) {
			bool exceeds = false;
			unsigned int cost =
				4 * ((away + 1) / 2) + (ends->owners[i] == stream ? 0 : 6);

			if (cost > best || (cost == best && i > best_run) ||
			    !address_fits(&s->space, ends->ends[i], row->bytes))
				continue;
			cost = run_cost(s, ends->ends[i], wanted, cost, best, row, &exceeds);
			if (cost > best || (cost == best && i > best_run))
				continue;
			best = cost;
			best_run = i;
			*unfit = exceeds;
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

	feedback_note(&s->feedback, distance == LRU_COLD ? 0 : distance_column(distance),
		      stands_for, s->writes);
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
	lru_stack__mark(s->stack, s->writes);
	err = touch(s, s->first, 1);
	if (!err)
		err = run_starts_add(&s->starts[s->writes][s->start_class],
				     lru_stack__top(s->stack), s->stack);
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
	feedback_restart(&s->feedback);
}

int placement__progress(struct placement *s, uint32_t phase, uint64_t done, uint64_t total)
{
	int err = settle(s);

	if (err || (phase == s->feedback.phase && s->requests % FEEDBACK_EVERY))
		return err;
	feedback_update(&s->feedback, phase, done, total, lru_stack__blocks(s->stack));
	s->factors_at++;
	return err;
}

static void weigh_reuse(const struct placement *s, const uint32_t *weights, bool is_write,
			struct reuse_weights *reuse)
{
	reuse->at = s->factors_at;
	reuse->sum = 0;
	for (unsigned int i = 0; i < reuse->end; i++)
		reuse->sum += reuse->weights[i] =
			(uint64_t)weights[i] * feedback_factor(&s->feedback, i, is_write);
}

/* How long ago the first block was touched, an octave; 0: never. */
static unsigned int draw_octave(struct placement *s, unsigned int stream, unsigned int size,
				struct prng *random)
{
	struct reuse_weights *reuse = &s->reuse[stream][size];
	uint64_t at;
	unsigned int i;

	if (reuse->at != s->factors_at)
		weigh_reuse(s, s->p->streams[stream].reuse[size],
			    s->p->streams[stream].op == IO_OP_WRITE, reuse);
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
	s->writes = row->op == IO_OP_WRITE;
	s->requests++;
	lru_stack__prefetch_range(s->stack, s->first,
				  s->count < PREFETCHED ? s->count : PREFETCHED);
}

/*
 * Chooses a place for a read or write. If the request should continue a run, but each run would go
 * to new blocks while too many came, or to old blocks although new ones were drawn, another request
 * continues it later.
 */
static void place(struct placement *s, unsigned int stream, const struct wanted *wanted,
		  struct prng *random, struct io_row *row, const struct recent_ends *ends)
{
	bool sequential = s->p->streams[stream].sequential, is_write = row->op == IO_OP_WRITE;
	bool may_swap = wanted->octave || !feedback_new_too_many(&s->feedback, is_write),
	     unfit = false, goes_on;
	unsigned int *backlog = &s->backlog[is_write];
	uint64_t after;

	goes_on = (sequential || (*backlog && may_swap)) &&
		  place_after(s, stream, wanted, random, row, ends, &unfit);
	if (goes_on && !unfit) {
		*backlog -= !sequential;
		return;
	}
	goes_on = goes_on && sequential;
	if (goes_on && (!may_swap || *backlog == s->backlog_max[is_write]))
		return;
	after = row->sector;
	if (!wanted->octave || !place_again(s, wanted, random, row, ends)) {
		row->sector = after;
		if (goes_on && wanted->octave)
			return;
		address_find_new(&s->space, stream, random, row, ends);
	}
	*backlog += goes_on;
}

static struct wanted draw_wanted(struct placement *s, unsigned int stream, uint64_t blocks,
				 struct prng *random)
{
	const struct profile_stream *model = &s->p->streams[stream];
	struct wanted wanted = {.octave = draw_octave(s, stream, reuse_size(blocks), random)};

	if (!wanted.octave || !model->read_after_write_known)
		return wanted;
	wanted.last_op_known = true;
	wanted.after_write = (prng_below(random, 1000) <
			      model->read_after_write_permille[reuse_age(wanted.octave)]) !=
			     (model->op == IO_OP_WRITE);
	return wanted;
}

void placement__place(struct placement *s, unsigned int stream, struct prng *random,
		      struct io_row *row)
{
	const struct profile_stream *model = &s->p->streams[stream];
	struct recent_ends *ends = &s->ends[row->op == IO_OP_WRITE];
	uint64_t blocks = (row->bytes + PAGE_BYTES - 1) / PAGE_BYTES;
	struct wanted wanted;

	row->sector = 0;
	if (!row->bytes || row->op == IO_OP_FLUSH)
		return;
	if (row->op != IO_OP_READ && row->op != IO_OP_WRITE) {
		if (model->place)
			place_rules_apply(&s->rules, &s->space, stream, random, row);
		else
			address_find_new(&s->space, stream, random, row, NULL);
		return;
	}
	if (place_rules_has(&s->rules, stream)) {
		place_rules_apply(&s->rules, &s->space, stream, random, row);
		placement__follow(s, stream, row);
		return;
	}
	s->space.at_begin =
		s->space.files.count && prng_below(random, 1000) < model->begin_permille;
	address_draw_fit(&s->space, stream, row->bytes, random);
	wanted = draw_wanted(s, stream, blocks, random);
	place(s, stream, &wanted, random, row, ends);
	address_note_fit(&s->space, row->sector, row->bytes);
	placement__follow(s, stream, row);
}
