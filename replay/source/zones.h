/* SPDX-License-Identifier: MIT */
/* Zoned devices: their operations, and which range an operation acts on. */
#ifndef BLKREEL_REPLAY_SOURCE_ZONES_H
#define BLKREEL_REPLAY_SOURCE_ZONES_H

#include <stdint.h>

#include "replay/source/source.h"

/* Does a REPLAY_ZONE and waits until it is done. 0 or negative errno. */
int zones__ask(int fd, const struct replay_io *io);

/*
 * Sets the length of a REPLAY_ZONE to that of its zone, or to what is left of the target, and gives
 * REPLAY_ZONE_RESET_ALL the whole target. 0; -ERANGE: it lies behind the end.
 */
int zones__place(struct replay_io *io, uint64_t zone_bytes, uint64_t target_bytes);

/* Widens a range to whole zones. */
void zones__widen(uint64_t zone_bytes, uint64_t *begin_bytes, uint64_t *end_bytes);

#endif
