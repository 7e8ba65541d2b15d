/* SPDX-License-Identifier: MIT */
/*
 * The ranges of IOs in flight that io_uring may start later than it was told to, because a thread
 * of its own does them. What overlaps one of these has to wait, or it would be the earlier one.
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
	bool all; /* any IO may be handed to a thread: through the page cache */
	uint64_t
		zone_bytes; /* of a zoned target: IOs of a zone overlap, but for two reads; else 0 */
};

/* For up to `capacity` IOs in flight, zone_bytes as above. 0 or -ENOMEM. */
int order__init(struct order *o, uint32_t capacity, uint64_t zone_bytes);
void order__free(struct order *o);

/* True for an IO to be added when it is submitted: io_uring hands it to a thread, or may, or the target has zones. */
static inline bool order__is_deferred(const struct order *o, const struct replay_io *io)
{
	return ((o->all || o->zone_bytes) && io->length_bytes) || io->op == REPLAY_WRITE_ZEROES ||
	       io->op == REPLAY_DISCARD ||
	       (io->op == REPLAY_WRITE && (io->flags & REPLAY_PREFLUSH));
}

void order__add(struct order *o, const struct replay_io *io, uint32_t slot);
void order__remove(struct order *o, uint32_t slot);

/* True when `io` overlaps one that was added. */
bool order__overlaps(const struct order *o, const struct replay_io *io);

#endif
