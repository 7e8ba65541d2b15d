/*
 * The ranges of IOs in flight that io_uring may start later than it was told to, because a thread
 * of its own does them. What overlaps one of these has to wait, or it would be the earlier one.
 */
#ifndef BLKREEL_REPLAY_ORDER_H
#define BLKREEL_REPLAY_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/source.h"

struct order_range {
	uint64_t offset_bytes, length_bytes;
	uint32_t slot;
};

struct order {
	struct order_range *ranges;
	uint32_t count;
};

/* For up to `capacity` IOs in flight. 0 or -ENOMEM. */
int order__init(struct order *o, uint32_t capacity);
void order__free(struct order *o);

/* True for an op that io_uring hands to a thread: to be added when it is submitted. */
static inline bool order__is_deferred(const struct replay_io *io)
{
	return io->op == REPLAY_WRITE_ZEROES ||
	       (io->op == REPLAY_WRITE && (io->flags & REPLAY_PREFLUSH));
}

void order__add(struct order *o, const struct replay_io *io, uint32_t slot);
void order__remove(struct order *o, uint32_t slot);

/* True when `io` overlaps one that was added. */
bool order__overlaps(const struct order *o, const struct replay_io *io);

#endif
