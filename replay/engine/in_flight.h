/* SPDX-License-Identifier: MIT */
/* The IOs in flight: what a completion needs to know of its IO, and what it changes. */
#ifndef BLKREEL_REPLAY_ENGINE_IN_FLIGHT_H
#define BLKREEL_REPLAY_ENGINE_IN_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/verify/durable.h"
#include "replay/engine/options.h"
#include "replay/engine/result.h"
#include "replay/engine/progress.h"
#include "replay/engine/order.h"
#include "replay/engine/schedule.h"
#include "replay/engine/dependents.h"

struct in_flight_slot {
	uint64_t offset_bytes;
	uint64_t length_bytes;
	uint64_t intended_ns;
	uint64_t submitted_ns;
	uint8_t op;
	uint8_t special; /* enum in_flight_special; 0: the fields after in_use are not set */
	bool in_use;
	uint32_t stream;
	int flush_error; /* of the flush before the write */
	uint64_t number; /* see write_numbers.h */
	uint64_t mark;	 /* of a flush, see durable.h */
};

/* What makes an IO need more work than most reads and writes. */
enum in_flight_special {
	IN_FLIGHT_PREFLUSH = 1u << 0,
	IN_FLIGHT_APPENDED = 1u << 1,
	IN_FLIGHT_UNCOUNTED = 1u << 2,
	IN_FLIGHT_DEFERRED = 1u << 3, /* it is in `order` */
	IN_FLIGHT_WATCHED = 1u << 4,  /* an IO or `durable` waits for it */
	IN_FLIGHT_UNHINTED = 1u << 5, /* the target has not its write hint */
};

struct in_flight {
	struct engine_result *result;
	struct dependents *dependents; /* ENGINE_DEPENDENT; else NULL */
	struct durable *durable;       /* NULL: not needed */
	struct schedule_depth depth;
	struct order order;
	struct progress *progress;
	struct in_flight_slot *slots;
	uint32_t *free_slots; /* a stack of depth.limit - depth.in_flight */
	uint64_t start_ns;    /* CLOCK_MONOTONIC, as all times here */
	uint64_t measured_ns; /* IOs submitted before it are not in the distributions */
	/*
	 * Completed now and not counted yet. IOs that were submitted together and complete together
	 * are counted as one figure.
	 */
	const struct in_flight_slot *alike;
	uint32_t alike_count;
	bool has_due;
	bool all_special;
	uint8_t hint; /* of the target's writes */
	bool failed;  /* an IO failed */
	/* Used unless in_flight__share() gave others. */
	struct durable own_durable;
	struct progress own_progress;
};

/* Allocates for options->iodepth IOs. 0 or -ENOMEM; in_flight__free() in either case. */
int in_flight__init(struct in_flight *f, const struct engine_options *options,
		    struct engine_result *result);
/* Frees everything. */
void in_flight__free(struct in_flight *f);

/* For one of several workers, before in_flight__start(): counts into what they share. */
void in_flight__share(struct in_flight *f, struct progress *progress, struct durable *durable);

/* The replay starts; nothing is in flight yet. */
void in_flight__start(struct in_flight *f, const struct engine_options *options, uint64_t start_ns);
/* Submission ended before the source did: the time without IOs until then counts. */
void in_flight__cut_short(struct in_flight *f, uint64_t now_ns);

/* The rest of in_flight__take(). */
void in_flight__take_special(struct in_flight *f, const struct replay_io *io, uint32_t index);

/* Takes a slot for an IO that is due at `due_ns`, after schedule_depth_admit() let it in. */
static inline uint32_t in_flight__take(struct in_flight *f, const struct replay_io *io,
				       uint64_t due_ns)
{
	uint32_t index = f->free_slots[f->depth.limit - f->depth.in_flight];
	struct in_flight_slot *slot = &f->slots[index];

	slot->offset_bytes = io->offset_bytes;
	slot->length_bytes = io->length_bytes;
	slot->intended_ns = due_ns;
	slot->op = io->op;
	slot->special = 0;
	slot->in_use = true;
	if (f->all_special || io->op > REPLAY_FLUSH ||
	    (io->flags & (REPLAY_PREFLUSH | REPLAY_APPENDED | REPLAY_HINTED)))
		in_flight__take_special(f, io, index);
	return index;
}

/* The IOs of `count` slots are submitted now, in one call. */
void in_flight__submitted(struct in_flight *f, const uint32_t *slots, unsigned int count,
			  uint64_t now_ns);

/* True for an op that can overtake writes that were submitted before it. */
static inline bool in_flight__passes(const struct replay_io *io)
{
	return io->op == REPLAY_DISCARD || io->op == REPLAY_WRITE_ZEROES;
}

/* As in_flight__overlaps(), for an IO that is not empty. */
bool in_flight__overlaps_one(const struct in_flight *f, const struct replay_io *io);

/*
 * True when `io` overlaps an IO in flight and the two could change places: a kernel thread does one
 * of them, or one of them overtakes others.
 */
static inline bool in_flight__overlaps(const struct in_flight *f, const struct replay_io *io)
{
	return io->length_bytes && (f->order.count || in_flight__passes(io)) &&
	       in_flight__overlaps_one(f, io);
}

/* The IO of the slot was not submitted, and will not be. */
void in_flight__drop(struct in_flight *f, uint32_t slot);

/*
 * The flush before the write of the slot failed, with a positive errno; the write completes, too.
 */
void in_flight__flush_failed(struct in_flight *f, uint32_t slot, int error);

/* Counts what completed at `now_ns`. */
void in_flight__account(struct in_flight *f, uint64_t now_ns);

/*
 * For in_flight__completed(): an IO that differs from those before it; one that is special, failed
 * or has no data.
 */
void in_flight__begin_alike(struct in_flight *f, const struct in_flight_slot *slot,
			    uint64_t now_ns);
void in_flight__completed_special(struct in_flight *f, uint32_t index, int32_t res,
				  uint64_t now_ns);

/* Frees the slot. */
static inline void in_flight__release(struct in_flight *f, uint32_t index)
{
	f->slots[index].in_use = false;
	schedule_depth_release(&f->depth);
	f->free_slots[f->depth.limit - f->depth.in_flight - 1] = index;
}

/* True when two completed IOs count the same. */
static inline bool in_flight__are_alike(const struct in_flight_slot *a,
					const struct in_flight_slot *b)
{
	return a->submitted_ns == b->submitted_ns && a->intended_ns == b->intended_ns &&
	       a->length_bytes == b->length_bytes && a->op == b->op;
}

/*
 * Completes the IO of a slot and frees the slot; `res` as io_uring gives it. After the completions
 * of one `now_ns`, and before in_flight__take(), call in_flight__account().
 */
static inline void in_flight__completed(struct in_flight *f, uint32_t index, int32_t res,
					uint64_t now_ns)
{
	const struct in_flight_slot *slot = &f->slots[index];

	if (slot->special || res < 0 || (uint64_t)res != slot->length_bytes) {
		in_flight__completed_special(f, index, res, now_ns);
		return;
	}
	if (f->alike_count && in_flight__are_alike(f->alike, slot))
		f->alike_count++;
	else
		in_flight__begin_alike(f, slot, now_ns);
	in_flight__release(f, index);
}

#endif
