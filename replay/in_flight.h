/* The IOs in flight: what a completion needs to know of its IO, and what it changes. */
#ifndef BLKREEL_REPLAY_IN_FLIGHT_H
#define BLKREEL_REPLAY_IN_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/durable.h"
#include "replay/engine.h"
#include "replay/engine_watch.h"
#include "replay/order.h"
#include "replay/schedule.h"
#include "replay/waiting.h"

struct in_flight_slot {
	uint64_t offset_bytes;
	uint64_t length_bytes;
	uint64_t intended_ns;
	uint64_t submitted_ns;
	uint32_t stream;
	int flush_error; /* of the flush before the write */
	uint8_t op;
	bool preflush;
	bool appended;
	bool uncounted;
	bool deferred; /* is in `order` */
	bool in_use;
	uint64_t number; /* see numbered.h */
	uint64_t mark;	 /* of a flush, see durable.h */
};

struct in_flight {
	struct engine_result *result;
	struct waiting *waiting; /* ENGINE_DEPENDENT; else NULL */
	struct durable *durable; /* NULL: not kept up */
	struct schedule_depth depth;
	struct order order;
	struct engine_watch *watch;
	struct in_flight_slot *slots;
	uint32_t *free_slots; /* a stack of depth.limit - depth.in_flight */
	uint64_t start_ns;    /* CLOCK_MONOTONIC, as all times here */
	uint64_t measured_ns; /* what is submitted before is left out of the distributions */
	/* Completed now, and not counted yet: IOs that went together and came together differ in nothing that is. */
	const struct in_flight_slot *alike;
	uint32_t alike_count;
	bool has_due;
	bool failed; /* an IO did */
	/* Where these are not those of several workers. */
	struct durable own_durable;
	struct engine_watch own_watch;
};

/* For options->iodepth IOs. 0 or -ENOMEM; in_flight__free() in either case. */
int in_flight__init(struct in_flight *f, const struct engine_options *options,
		    struct engine_result *result);
void in_flight__free(struct in_flight *f);

/* Nothing is in flight yet. */
void in_flight__start(struct in_flight *f, const struct engine_options *options, uint64_t start_ns);

/* The slot of an IO that is due at `due_ns`, which schedule_depth_admit() has let in. */
uint32_t in_flight__take(struct in_flight *f, const struct replay_io *io, uint64_t due_ns);
/* The IOs of `count` slots go now, in one call. */
void in_flight__submitted(struct in_flight *f, const uint32_t *slots, unsigned int count,
			  uint64_t now_ns);

/* True for what is done at its own pace and passes writes that were submitted before. */
static inline bool in_flight__passes(const struct replay_io *io)
{
	return io->op == REPLAY_DISCARD || io->op == REPLAY_WRITE_ZEROES;
}

/* As in_flight__overlaps(), of an IO that is not empty. */
bool in_flight__overlaps_one(const struct in_flight *f, const struct replay_io *io);

/*
 * True when `io` overlaps one in flight and the two could change places: one of them is done by a thread, or passes
 * others.
 */
static inline bool in_flight__overlaps(const struct in_flight *f, const struct replay_io *io)
{
	return io->length_bytes && (f->order.count || in_flight__passes(io)) &&
	       in_flight__overlaps_one(f, io);
}

/* The IO of the slot was not submitted, and will not be. */
void in_flight__drop(struct in_flight *f, uint32_t slot);

/* The flush before the write of the slot failed, with a positive errno; the write completes as well. */
void in_flight__flush_failed(struct in_flight *f, uint32_t slot, int error);

/*
 * `res` as io_uring gives it; the slot is free then. After all that are taken with the same `now_ns`, and before
 * in_flight__take(): in_flight__account().
 */
void in_flight__completed(struct in_flight *f, uint32_t slot, int32_t res, uint64_t now_ns);
void in_flight__account(struct in_flight *f, uint64_t now_ns);

#endif
