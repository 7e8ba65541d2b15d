/* SPDX-License-Identifier: MIT */
/*
 * Divides one stream of IOs among several workers, and decides which IOs of others each IO has to
 * wait for. The region of addresses in which an IO begins decides its worker. IOs that overlap
 * inside a region are therefore of one worker, which keeps their order by itself. An IO that
 * reaches into a region of another worker waits for the IOs there that it overlaps, and they for
 * it. One thread adds the IOs in their order; each worker publishes how far it is. Knows no clock
 * and no IO.
 */
#ifndef BLKREEL_REPLAY_ENGINE_SHARING_H
#define BLKREEL_REPLAY_ENGINE_SHARING_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/source/source.h"

#define SHARING_WORKERS_MAX 16u

/* The length of a region; on a zoned target a whole number of zones, at least one. */
#define SHARING_REGION_BYTES (4ull << 20)

struct sharing;

struct sharing_options {
	unsigned int workers; /* 1 to SHARING_WORKERS_MAX */
	uint32_t window;      /* IOs that are added and not yet submitted by all; a power of two */
	uint64_t
		zone_bytes; /* of a zoned target, on which IOs of a zone keep their order; else 0 */
};

/* 0 or -ENOMEM. */
int sharing__create(const struct sharing_options *options, struct sharing **sharing);
void sharing__free(struct sharing *s); /* NULL is allowed */

/*
 * Adds the next IO and returns its worker. The calls number the IOs 0, 1, ... Always called by the
 * same thread.
 */
unsigned int sharing__add(struct sharing *s, const struct replay_io *io);

/*
 * True when IO `number` of this worker may be submitted now; stays true. Valid from when the worker
 * has the IO until it submits the IO.
 */
bool sharing__may_go(const struct sharing *s, unsigned int worker, uint64_t number);

/*
 * Publishes that all IOs of this worker with a lower number were submitted, or have completed.
 * Never goes back.
 */
void sharing__submitted(struct sharing *s, unsigned int worker, uint64_t below);
void sharing__completed(struct sharing *s, unsigned int worker, uint64_t below);

#endif
