/* SPDX-License-Identifier: MIT */
/* What a zoned device needs beside reads and writes: its operations, and IOs of a zone one after the other. */
#ifndef BLKREEL_REPLAY_SOURCE_ZONES_H
#define BLKREEL_REPLAY_SOURCE_ZONES_H

#include <stdint.h>

#include "replay/source/source.h"

/* Asks for REPLAY_ZONE and waits until it is done. 0 or negative errno. */
int zones__ask(int fd, const struct replay_io *io);

/*
 * Gives a REPLAY_ZONE the length of what it acts on, and REPLAY_RESET_ALL its place: a zone of `zone_bytes`,
 * or what is left of the target. 0; -ERANGE: it lies behind the end.
 */
int zones__place(struct replay_io *io, uint64_t zone_bytes, uint64_t target_bytes);

/* Widens begin and end to whole zones. */
void zones__widen(uint64_t zone_bytes, uint64_t *begin_bytes, uint64_t *end_bytes);

#endif
