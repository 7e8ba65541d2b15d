// SPDX-License-Identifier: MIT
#include "replay/engine/gather.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "replay/engine/worker.h"

/* Does an op that this kernel's io_uring lacks. Its time shows up as lateness of the next IOs. */
static void do_blocking(struct engine_gather *g, const struct replay_io *io, uint64_t due_ns)
{
	uint32_t index = in_flight__take(g->flight, io, due_ns);
	uint64_t now_ns;
	int res;

	in_flight__submitted(g->flight, &index, 1, clock_ns(CLOCK_MONOTONIC));
	res = engine_ring__blocking(g->ring, io);
	if (io->op == REPLAY_ZONE)
		g->result->blocking_zones++;
	else
		g->result->blocking_discards++;
	now_ns = clock_ns(CLOCK_MONOTONIC);
	in_flight__completed(g->flight, index, res, now_ns);
	in_flight__account(g->flight, now_ns);
}

static int fail(struct engine_gather *g, int err, const char *text)
{
	snprintf(g->message, ENGINE_MESSAGE_MAX, "%s", text);
	g->error = err;
	return GATHERED_FAILED;
}

/* Reads ahead until it is known which IO depends on which. */
static enum gathered next_dependent(struct engine_gather *g, const struct replay_io **io,
				    uint64_t *due_ns)
{
	enum reader_thread_state state = READER_THREAD_READY;
	enum dependents_state dependents;

	while (!dependents__full(g->flight->dependents) &&
	       (state = reader_thread__peek(g->reader_thread, io)) == READER_THREAD_READY) {
		if (dependents__add(g->flight->dependents, *io))
			return fail(g, -ENOMEM, "no memory for the IOs that wait for others");
		reader_thread__advance(g->reader_thread);
	}
	dependents = dependents__peek(g->flight->dependents, io, due_ns);
	if (dependents == DEPENDENTS_READY)
		return GATHERED_FULL;
	if (state != READER_THREAD_READY && dependents == DEPENDENTS_EMPTY)
		return state == READER_THREAD_END ? GATHERED_END : GATHERED_STARVED;
	if (g->flight->depth.in_flight)
		return GATHERED_HELD;
	return state == READER_THREAD_EMPTY
		       ? GATHERED_STARVED
		       : fail(g, -EDEADLK, "IOs of the source wait for each other for ever");
}

/* An IO that has to wait for another worker is not staged. */
static enum gathered next_own(struct engine_gather *g, const struct replay_io **io,
			      uint64_t *due_ns, uint64_t now_ns)
{
	static const enum gathered none[] = {[READER_THREAD_EMPTY] = GATHERED_STARVED,
					     [READER_THREAD_END] = GATHERED_END,
					     [READER_THREAD_OTHERS] = GATHERED_OTHERS};
	struct worker *w = g->worker;
	enum reader_thread_state state =
		reader_thread__peek_own(g->reader_thread, w->index, io, &w->next_number);

	if (state != READER_THREAD_READY)
		return none[state];
	*due_ns = 0;
	if (g->options->mode == ENGINE_TIMED)
		*due_ns = schedule_due_ns(g->schedule, (*io)->due_ns);
	if (sharing__may_go(w->common->sharing, w->index, w->next_number)) {
		w->head_waited = false;
		return GATHERED_FULL;
	}
	if (*due_ns > now_ns)
		return GATHERED_NOT_DUE;
	g->result->waited += !w->head_waited;
	w->head_waited = true;
	return GATHERED_ORDERED;
}

/* GATHERED_FULL: *io is the next IO, to go at *due_ns. */
static enum gathered next_io(struct engine_gather *g, const struct replay_io **io, uint64_t *due_ns,
			     uint64_t now_ns)
{
	enum reader_thread_state state;

	if (g->special)
		return g->worker ? next_own(g, io, due_ns, now_ns) : next_dependent(g, io, due_ns);
	state = reader_thread__peek(g->reader_thread, io);
	if (state != READER_THREAD_READY)
		return state == READER_THREAD_END ? GATHERED_END : GATHERED_STARVED;
	*due_ns = 0;
	if (g->options->mode == ENGINE_TIMED)
		*due_ns = schedule_due_ns(g->schedule, (*io)->due_ns);
	if (g->options->mode == ENGINE_DEPTH && g->flight->depth.in_flight &&
	    g->flight->depth.in_flight >= (*io)->wait.depth)
		return GATHERED_HELD;
	return GATHERED_FULL;
}

static bool lies_inside(const struct engine_gather *g, const struct replay_io *io)
{
	return io->op == REPLAY_FLUSH ||
	       (io->length_bytes <= g->options->target_bytes &&
		io->offset_bytes <= g->options->target_bytes - io->length_bytes);
}

/* The memory of the IOs is as long as the source said before. */
static bool has_memory(const struct engine_gather *g, const struct replay_io *io)
{
	return !replay_op_has_data(io->op) ||
	       io->length_bytes <= (io->op == REPLAY_READ ? g->options->longest_read_bytes
							  : g->options->longest_write_bytes);
}

/* The last check before an IO goes, whatever was decided before: NULL, or why it must not. */
static const char *objection(const struct engine_gather *g, const struct replay_io *io)
{
	if (!lies_inside(g, io))
		return ENGINE_OUTSIDE_TEXT;
	return has_memory(g, io) ? NULL : ENGINE_CHANGED_TEXT;
}

static bool keeps_order(struct engine_gather *g, const struct replay_io *io)
{
	bool overlaps = in_flight__overlaps(g->flight, io);

	g->result->ordered += overlaps && !g->head_is_ordered;
	g->head_is_ordered = overlaps;
	return !overlaps;
}

/* Without a batch, do_blocking() has done the IO. */
static void advance_own(struct engine_gather *g)
{
	struct worker *w = g->worker;

	if (g->batch_count)
		worker__took(w, g->flight, g->batch[g->batch_count - 1]);
	w->next_number++;
	reader_thread__advance_own(g->reader_thread, w->index);
}

static __attribute__((noinline)) void advance_special(struct engine_gather *g,
						      const struct replay_io *io, uint64_t now_ns)
{
	if (g->worker) {
		advance_own(g);
		return;
	}
	engine_result__add_wait(g->result, &io->wait);
	dependents__submitted(g->flight->dependents, now_ns);
}

static inline void advance(struct engine_gather *g, const struct replay_io *io, uint64_t now_ns)
{
	if (g->special)
		advance_special(g, io, now_ns);
	else
		reader_thread__advance(g->reader_thread);
}

static inline void note_deviations(struct engine_gather *g, uint32_t flags, uint32_t left_out)
{
	if (flags & (REPLAY_DEVIATIONS | REPLAY_ATOMIC))
		engine_result__add_deviations(g->result, flags, left_out);
}

static inline void start_io(struct engine_gather *g, const struct replay_io *io, uint64_t due_ns,
			    bool blocks)
{
	uint64_t source_ns = schedule_scaled_ns(io->due_ns, g->options->speed);

	if (source_ns > g->result->last_due_ns)
		g->result->last_due_ns = source_ns;
	if (blocks) {
		do_blocking(g, io, due_ns);
	} else {
		uint32_t index = in_flight__take(g->flight, io, due_ns);

		engine_ring__queue(g->ring, io, index);
		g->batch[g->batch_count++] = index;
	}
}

/*
 * Prepares the next IO before it is due. At its time only the submitting call is left, and no
 * memory is touched that others may have pushed out of the CPU's caches meanwhile.
 */
static void stage(struct engine_gather *g, const struct replay_io *io, uint64_t due_ns,
		  uint64_t now_ns)
{
	if (g->options->mode != ENGINE_TIMED || schedule_sleep_ns(g->schedule, due_ns, now_ns) ||
	    g->batch_count || g->flight->depth.in_flight == g->flight->depth.limit ||
	    engine_ring__blocks(g->ring, io) || objection(g, io) ||
	    in_flight__overlaps(g->flight, io))
		return;
	if (g->worker)
		worker__submitted(g->worker);
	g->last_due_ns = g->result->last_due_ns;
	schedule_depth_reserve(&g->flight->depth);
	start_io(g, io, due_ns, false);
	g->staged_flags = io->flags;
	g->staged_left_out = io->left_out;
	advance(g, io, now_ns);
	g->staged_due_ns = due_ns;
	g->staged = true;
}

void engine_gather__unstage(struct engine_gather *g)
{
	uint32_t slot = g->batch[0];

	if (!g->staged)
		return;
	engine_ring__take_back(g->ring, g->flight->slots[slot].special & IN_FLIGHT_PREFLUSH);
	in_flight__drop(g->flight, slot);
	g->result->last_due_ns = g->last_due_ns;
	g->batch_count = 0;
	g->staged = false;
}

/* While there is nothing to submit, the engine asks again and again. */
static inline void note_starved(struct engine_gather *g, enum gathered next)
{
	bool starved = next == GATHERED_STARVED && !g->batch_count;

	g->result->starved += starved && !g->is_starved;
	g->is_starved = starved;
}

enum gathered engine_gather__next(struct engine_gather *g, uint64_t *due_ns)
{
	uint64_t now_ns = engine_mode__has_due(g->options->mode) ? clock_ns(CLOCK_MONOTONIC) : 0;
	const struct replay_io *io;

	if (g->staged) {
		*due_ns = g->staged_due_ns;
		if (*due_ns > now_ns)
			return GATHERED_NOT_DUE;
		schedule_depth_confirm(&g->flight->depth);
		note_deviations(g, g->staged_flags, g->staged_left_out);
		g->staged = false;
	}

	while (g->batch_count < ENGINE_BATCH_MAX) {
		enum gathered next = next_io(g, &io, due_ns, now_ns);
		const char *against;
		bool blocks;

		note_starved(g, next);
		if (next != GATHERED_FULL)
			return next;
		if (*due_ns > now_ns) {
			stage(g, io, *due_ns, now_ns);
			return GATHERED_NOT_DUE;
		}
		against = objection(g, io);
		if (against)
			return fail(g, -ERANGE, against);
		if (!keeps_order(g, io))
			return GATHERED_HELD;
		blocks = engine_ring__blocks(g->ring, io);
		if (blocks && g->batch_count)
			return GATHERED_FULL;
		if (!schedule_depth_admit(&g->flight->depth))
			return GATHERED_HELD;
		start_io(g, io, *due_ns, blocks);
		note_deviations(g, io->flags, io->left_out);
		advance(g, io, now_ns);
	}
	return GATHERED_FULL;
}
