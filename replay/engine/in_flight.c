// SPDX-License-Identifier: MIT
#include "replay/engine/in_flight.h"

#include <errno.h>
#include <stdlib.h>

int in_flight__init(struct in_flight *f, const struct engine_options *options,
		    struct engine_result *result)
{
	*f = (struct in_flight){.result = result,
				.depth.limit = options->iodepth,
				.hint = options->hint,
				.has_due = engine_mode__has_due(options->mode)};
	f->progress = &f->own_progress;
	f->own_durable.progress = options->written;
	if (options->written)
		f->durable = &f->own_durable;
	f->slots = calloc(options->iodepth, sizeof(f->slots[0]));
	f->free_slots = calloc(options->iodepth, sizeof(f->free_slots[0]));
	if (!f->slots || !f->free_slots ||
	    order__init(&f->order, options->iodepth, options->zone_bytes))
		return -ENOMEM;
	f->order.all = options->buffered;
	f->all_special = options->buffered || options->zone_bytes || f->durable ||
			 options->mode == ENGINE_DEPENDENT;
	for (uint32_t i = 0; i < options->iodepth; i++) {
		f->slots[i] = (struct in_flight_slot){0}; /* no page fault when an IO is due */
		f->free_slots[i] = i;
	}
	return 0;
}

void in_flight__share(struct in_flight *f, struct progress *progress, struct durable *durable)
{
	f->progress = progress;
	if (f->durable)
		f->durable = durable;
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
	progress__start(f->progress, options, start_ns);
}

void in_flight__cut_short(struct in_flight *f, uint64_t now_ns)
{
	if (now_ns > f->start_ns)
		f->result->duration_ns = now_ns - f->start_ns;
}

static uint8_t special_of(const struct in_flight *f, const struct replay_io *io)
{
	bool deferred = order__is_deferred(&f->order, io) || (f->durable && io->number);
	uint8_t special = deferred ? IN_FLIGHT_DEFERRED : 0;

	if (io->flags & REPLAY_PREFLUSH)
		special |= IN_FLIGHT_PREFLUSH;
	if (io->flags & REPLAY_APPENDED)
		special |= IN_FLIGHT_APPENDED;
	if (io->hint && io->hint != f->hint)
		special |= IN_FLIGHT_UNHINTED;
	if (f->dependents || f->durable)
		special |= IN_FLIGHT_WATCHED;
	if (f->dependents && io->wait.uncounted)
		special |= IN_FLIGHT_UNCOUNTED;
	return special;
}

void in_flight__take_special(struct in_flight *f, const struct replay_io *io, uint32_t index)
{
	struct in_flight_slot *slot = &f->slots[index];

	slot->special = special_of(f, io);
	slot->stream = io->wait.stream;
	slot->flush_error = 0;
	slot->number = io->number;
	slot->mark = f->durable ? durable__mark(f->durable) : 0;
	if (slot->special & IN_FLIGHT_DEFERRED)
		order__add(&f->order, io, index);
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
	progress__submitted(f->progress, late_ns);
	if (measured)
		histogram_add(&f->result->lateness_ns, late_ns);
}

/* Counts an IO that the kernel splits before the target gets it. */
static void note_split(struct in_flight *f, const struct in_flight_slot *slot)
{
	uint64_t whole_bytes = f->result->whole_bytes;

	if (!replay_op_has_data(slot->op))
		return;
	f->result->split++;
	f->result->split_into += (slot->length_bytes + whole_bytes - 1) / whole_bytes;
}

void in_flight__submitted(struct in_flight *f, const uint32_t *slots, unsigned int count,
			  uint64_t now_ns)
{
	for (unsigned int i = 0; i < count; i++) {
		struct in_flight_slot *slot = &f->slots[slots[i]];

		slot->submitted_ns = now_ns;
		f->result->ops[slot->op].issued++;
		if (slot->length_bytes > f->result->whole_bytes && f->result->whole_bytes)
			note_split(f, slot);
		if (slot->special) {
			f->result->preflushes += !!(slot->special & IN_FLIGHT_PREFLUSH);
			f->result->appended += !!(slot->special & IN_FLIGHT_APPENDED);
			f->result->unhinted += !!(slot->special & IN_FLIGHT_UNHINTED);
		}
		if (f->has_due)
			note_lateness(f, now_ns - slot->intended_ns, now_ns >= f->measured_ns);
	}
}

void in_flight__flush_failed(struct in_flight *f, uint32_t slot, int error)
{
	f->slots[slot].flush_error = error;
}

static void release(struct in_flight *f, uint32_t index)
{
	if (f->slots[index].special & IN_FLIGHT_DEFERRED)
		order__remove(&f->order, index);
	in_flight__release(f, index);
}

void in_flight__drop(struct in_flight *f, uint32_t index)
{
	release(f, index);
}

static void note_durable(struct in_flight *f, const struct in_flight_slot *slot, bool failed)
{
	if (!f->durable)
		return;
	if (!failed && (slot->op == REPLAY_FLUSH || (slot->special & IN_FLIGHT_PREFLUSH)))
		durable__flushed(f->durable, slot->mark);
	durable__complete(f->durable, slot->number, failed);
}

/*
 * It depends on the kernel whether a failed flush cancels the write behind it; the flush's errno
 * says why the IO failed.
 */
static int flush_error(const struct in_flight_slot *slot)
{
	return slot->special & IN_FLIGHT_PREFLUSH ? slot->flush_error : 0;
}

static void note_error(struct in_flight *f, const struct in_flight_slot *slot, int32_t res)
{
	int error = flush_error(slot);

	if (!error && res < 0)
		error = -res;

	engine_result__add_error(f->result, slot->op, error);
	f->failed = true;
	progress__failed(f->progress);
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
	if (!progress__is_idle(f->progress))
		progress__completed(f->progress, &completed);
	engine_result__add_completed(f->result, &completed);
}

void in_flight__begin_alike(struct in_flight *f, const struct in_flight_slot *slot, uint64_t now_ns)
{
	in_flight__account(f, now_ns);
	f->alike = slot;
	f->alike_count = 1;
	f->result->duration_ns = now_ns - f->start_ns;
}

void in_flight__completed_special(struct in_flight *f, uint32_t index, int32_t res, uint64_t now_ns)
{
	struct in_flight_slot *slot = &f->slots[index];
	bool failed = flush_error(slot) || res < 0 ||
		      (replay_op_has_data(slot->op) && (uint64_t)res < slot->length_bytes);

	note_durable(f, slot, failed);
	if (failed)
		note_error(f, slot, res);
	else if (f->alike_count && in_flight__are_alike(f->alike, slot))
		f->alike_count++;
	else
		in_flight__begin_alike(f, slot, now_ns);
	if (f->dependents && !(slot->special & IN_FLIGHT_UNCOUNTED))
		dependents__completed(f->dependents, slot->stream, now_ns);
	release(f, index);
	f->result->duration_ns = now_ns - f->start_ns;
}
