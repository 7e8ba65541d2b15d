// SPDX-License-Identifier: MIT
#include "profile/placement/placement.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "profile/classes.h"
#include "profile/placement/state.h"
#include "workload/figures/measure.h"

#define BACKLOG_SHARE  8
#define BACKLOG_MAX    32
#define SAMPLES	       4   /* blocks of a request whose distance is noted */
#define PREFETCHED     256 /* blocks of a request */
#define FEEDBACK_EVERY 32  /* IOs */

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
	while (!err && lru_stack__blocks(s->stack) > PLACEMENT_BLOCKS_MAX)
		lru_stack__drop_oldest(s->stack);
	return err;
}

void placement__restart(struct placement *s)
{
	feedback_restart(&s->feedback);
}

int placement__progress(struct placement *s, uint32_t phase, uint64_t done, uint64_t total)
{
	int err = settle(s);

	feedback_begin(&s->feedback, phase, done);
	if (err || (phase == s->feedback.phase && s->requests % FEEDBACK_EVERY))
		return err;
	feedback_update(&s->feedback, done, total, lru_stack__blocks(s->stack));
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

	if (reuse->at != s->factors_at)
		weigh_reuse(s, s->p->streams[stream].reuse[size],
			    s->p->streams[stream].op == IO_OP_WRITE, reuse);
	return reuse->sum ? prng_weighted_of_64(random, reuse->weights, reuse->sum) : 0;
}

/* Notes an IO whose sector is given. */
static void follow(struct placement *s, unsigned int stream, const struct io_row *row)
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
		  continue_run(s, stream, wanted, random, row, ends, &unfit);
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
	if (s->rules.rules[stream] != PLACE_BY_TABLES) {
		place_rules_apply(&s->rules, &s->space, stream, random, row);
		follow(s, stream, row);
		return;
	}
	s->space.at_begin =
		s->space.files.count && prng_below(random, 1000) < model->begin_permille;
	address_draw_fit(&s->space, stream, row->bytes, random);
	wanted = draw_wanted(s, stream, blocks, random);
	place(s, stream, &wanted, random, row, ends);
	address_note_fit(&s->space, row->sector, row->bytes);
	feedback_expect(&s->feedback, stream, blocks);
	follow(s, stream, row);
}
