#include "replay/in_flight.h"

#include <errno.h>
#include <stdlib.h>

#include "replay/engine_result.h"
#include "replay/worker.h"

/* What several workers keep together. */
static void set_common(struct in_flight *f, const struct engine_options *options)
{
	struct worker *worker = options->worker;

	f->watch = worker ? &worker->common->watch : &f->own_watch;
	f->own_durable.progress = options->written;
	if (options->written)
		f->durable = worker ? &worker->common->durable : &f->own_durable;
}

int in_flight__init(struct in_flight *f, const struct engine_options *options,
		    struct engine_result *result)
{
	*f = (struct in_flight){.result = result,
				.depth.limit = options->iodepth,
				.has_due = engine_mode__has_due(options->mode)};
	set_common(f, options);
	f->slots = calloc(options->iodepth, sizeof(f->slots[0]));
	f->free_slots = calloc(options->iodepth, sizeof(f->free_slots[0]));
	if (!f->slots || !f->free_slots ||
	    order__init(&f->order, options->iodepth, options->zone_bytes))
		return -ENOMEM;
	f->order.all = options->buffered;
	for (uint32_t i = 0; i < options->iodepth; i++) {
		f->slots[i] = (struct in_flight_slot){0}; /* no page fault when an IO is due */
		f->free_slots[i] = i;
	}
	return 0;
}

void in_flight__free(struct in_flight *f)
{
	free(f->slots);
	free(f->free_slots);
	order__free(&f->order);
}

void in_flight__start(struct in_flight *f, const struct engine_options *options, uint64_t start_ns)
{
	f->start_ns = start_ns;
	f->measured_ns = start_ns + options->ramp_ns;
	engine_watch__start(f->watch, options, start_ns);
}

uint32_t in_flight__take(struct in_flight *f, const struct replay_io *io, uint64_t due_ns)
{
	uint32_t index = f->free_slots[f->depth.limit - f->depth.in_flight];

	f->slots[index] = (struct in_flight_slot){.in_use = true,
						  .offset_bytes = io->offset_bytes,
						  .length_bytes = io->length_bytes,
						  .intended_ns = due_ns,
						  .op = io->op,
						  .preflush = io->flags & REPLAY_PREFLUSH,
						  .appended = io->flags & REPLAY_APPENDED,
						  .deferred = order__is_deferred(&f->order, io) ||
							      (f->durable && io->number),
						  .number = io->number};
	if (f->durable)
		f->slots[index].mark = durable__mark(f->durable);
	if (f->slots[index].deferred)
		order__add(&f->order, io, index);
	if (f->waiting) {
		f->slots[index].stream = io->wait.stream;
		f->slots[index].uncounted = io->wait.uncounted;
	}
	return index;
}

static bool overlaps_any(const struct in_flight *f, const struct replay_io *io)
{
	uint64_t end_bytes = io->offset_bytes + io->length_bytes;

	for (uint32_t i = 0; i < f->depth.limit; i++) {
		const struct in_flight_slot *slot = &f->slots[i];

		if (slot->in_use && slot->offset_bytes < end_bytes &&
		    io->offset_bytes < slot->offset_bytes + slot->length_bytes)
			return true;
	}
	return false;
}

bool in_flight__overlaps_one(const struct in_flight *f, const struct replay_io *io)
{
	return (f->order.count && order__overlaps(&f->order, io)) ||
	       (in_flight__passes(io) && overlaps_any(f, io));
}

static void note_lateness(struct in_flight *f, uint64_t late_ns, bool measured)
{
	engine_watch__submitted(f->watch, late_ns);
	if (measured)
		histogram_add(&f->result->lateness_ns, late_ns);
}

void in_flight__submitted(struct in_flight *f, const uint32_t *slots, unsigned int count,
			  uint64_t now_ns)
{
	for (unsigned int i = 0; i < count; i++) {
		struct in_flight_slot *slot = &f->slots[slots[i]];

		slot->submitted_ns = now_ns;
		f->result->ops[slot->op].issued++;
		f->result->preflushes += slot->preflush;
		f->result->appended += slot->appended;
		if (f->has_due)
			note_lateness(f, now_ns - slot->intended_ns, now_ns >= f->measured_ns);
	}
}

void in_flight__flush_failed(struct in_flight *f, uint32_t slot, int error)
{
	f->slots[slot].flush_error = error;
}

static inline void release(struct in_flight *f, struct in_flight_slot *slot, uint32_t index)
{
	if (slot->deferred)
		order__remove(&f->order, index);
	slot->in_use = false;
	schedule_depth_release(&f->depth);
	f->free_slots[f->depth.limit - f->depth.in_flight - 1] = index;
}

void in_flight__drop(struct in_flight *f, uint32_t index)
{
	release(f, &f->slots[index], index);
}

static void note_durable(struct in_flight *f, const struct in_flight_slot *slot, bool failed)
{
	if (!f->durable)
		return;
	if (!failed && (slot->op == REPLAY_FLUSH || slot->preflush))
		durable__flushed(f->durable, slot->mark);
	durable__complete(f->durable, slot->number, failed);
}

static void note_error(struct in_flight *f, const struct in_flight_slot *slot, int32_t res)
{
	int error = slot->flush_error ? slot->flush_error : res < 0 ? -res : 0;

	engine_result__add_error(f->result, slot->op, error);
	f->failed = true;
	engine_watch__failed(f->watch);
}

static bool are_alike(const struct in_flight_slot *a, const struct in_flight_slot *b)
{
	return a->submitted_ns == b->submitted_ns && a->intended_ns == b->intended_ns &&
	       a->length_bytes == b->length_bytes && a->op == b->op;
}

void in_flight__account(struct in_flight *f, uint64_t now_ns)
{
	const struct in_flight_slot *slot = f->alike;

	if (!f->alike_count)
		return;
	const struct engine_completed completed = {
		.op = slot->op,
		.in_ramp = slot->submitted_ns < f->measured_ns,
		.has_due = f->has_due,
		.length_bytes = slot->length_bytes,
		.intended_ns = now_ns - slot->intended_ns,
		.submitted_ns = now_ns - slot->submitted_ns,
		.count = f->alike_count,
	};

	f->alike_count = 0;
	if (!engine_watch__is_idle(f->watch))
		engine_watch__completed(f->watch, &completed);
	engine_result__add_completed(f->result, &completed);
}

static void begin_alike(struct in_flight *f, const struct in_flight_slot *slot, uint64_t now_ns)
{
	in_flight__account(f, now_ns);
	f->alike = slot;
	f->alike_count = 1;
}

void in_flight__completed(struct in_flight *f, uint32_t index, int32_t res, uint64_t now_ns)
{
	struct in_flight_slot *slot = &f->slots[index];
	/*
	 * Whether a flush that failed cancels the write behind it depends on the kernel; in either
	 * case it is the flush that says why the IO failed.
	 */
	bool failed = slot->flush_error || res < 0 ||
		      (replay_op_has_data(slot->op) && (uint64_t)res < slot->length_bytes);

	note_durable(f, slot, failed);
	if (failed)
		note_error(f, slot, res);
	else if (f->alike_count && are_alike(f->alike, slot))
		f->alike_count++;
	else
		begin_alike(f, slot, now_ns);
	if (f->waiting && !slot->uncounted)
		waiting__completed(f->waiting, slot->stream, now_ns);
	release(f, slot, index);
	f->result->duration_ns = now_ns - f->start_ns;
}
