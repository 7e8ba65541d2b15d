/* SPDX-License-Identifier: MIT */
/*
 * The ranges of IOs in flight that a kernel thread of io_uring does, and which may therefore start
 * late. An IO that overlaps one of them has to wait, or it could overtake it.
 */
#ifndef BLKREEL_REPLAY_ENGINE_ORDER_H
#define BLKREEL_REPLAY_ENGINE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/source/source.h"

struct order_range {
	uint64_t begin_bytes, end_bytes;
	uint32_t slot;
	bool reads;
};

struct order {
	struct order_range *ranges;
	uint32_t count;
	bool all; /* through the page cache: a kernel thread may do any IO */
	uint64_t
		zone_bytes; /* of a zoned target: IOs of one zone overlap, except two reads; else 0 */
};

/* Allocates for `capacity` IOs in flight; zone_bytes as above. 0 or -ENOMEM. */
int order__init(struct order *o, uint32_t capacity, uint64_t zone_bytes);
/* Frees the ranges. */
void order__free(struct order *o);

/*
 * True for an IO that has to be added when it is submitted: a kernel thread does it, or may do it,
 * or the target has zones.
 */
static inline bool order__is_deferred(const struct order *o, const struct replay_io *io)
{
	return ((o->all || o->zone_bytes) && io->length_bytes) || io->op == REPLAY_WRITE_ZEROES ||
	       io->op == REPLAY_DISCARD ||
	       (io->op == REPLAY_WRITE && (io->flags & REPLAY_PREFLUSH));
}

/* Adds an IO that is submitted, by its slot. */
void order__add(struct order *o, const struct replay_io *io, uint32_t slot);
/* Removes the IO of the slot, if it was added. */
void order__remove(struct order *o, uint32_t slot);

/* True when `io` overlaps one that was added. */
bool order__overlaps(const struct order *o, const struct replay_io *io);

#endif
