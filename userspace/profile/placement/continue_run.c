// SPDX-License-Identifier: MIT
#include "profile/placement/state.h"

#include "profile/classes.h"
#include "profile/file_layout.h"

#define TAIL_COST    24
#define MISFIT_COST  14
#define UNFIT_COST   12
#define SURPLUS_COST 4
#define LAST_OP_COST 8

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
 * Cost of continuing the run at `end`, at least `least`; stops above `most`. *unfit: too many new
 * blocks came and it would go to more of them, or new ones were drawn and it would go to old ones.
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
		cost += (unsigned int)apart(found, wanted->octave) +
			(!found != !wanted->octave ? 16 : 0) +
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

bool continue_run(const struct placement *s, unsigned int stream, const struct wanted *wanted,
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
