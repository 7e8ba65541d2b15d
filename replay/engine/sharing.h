/* SPDX-License-Identifier: MIT */
/*
 * One stream of IOs for several workers: whose each IO is, and which IOs of others it has to wait for. An IO belongs to
 * the worker that owns the region of addresses where it begins, so that what overlaps within a region is one worker's,
 * who keeps the order as it would alone. One that reaches into a region of another waits for what it overlaps
 * there, and is waited for. One thread adds the IOs in their order; each worker tells how far it is. Knows no clock and no IO.
 */
#ifndef BLKREEL_REPLAY_ENGINE_SHARING_H
#define BLKREEL_REPLAY_ENGINE_SHARING_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/source/source.h"

#define SHARING_WORKERS_MAX 16u

/* The length of a region; a whole number of zones, and at least one, where there are some. */
#define SHARING_REGION_BYTES (4ull << 20)

struct sharing;

struct sharing_options {
	unsigned int workers; /* 1 to SHARING_WORKERS_MAX */
	uint32_t window;      /* IOs that are added and not passed by all; a power of two */
	uint64_t zone_bytes;  /* of a zoned target, whose IOs of a zone keep their order; else 0 */
};

/* 0 or -ENOMEM. */
int sharing__create(const struct sharing_options *options, struct sharing **sharing);
void sharing__free(struct sharing *s); /* NULL is allowed */

/* The next IO, which is number 0, 1, ... in the order of the calls: whose it is. Of one thread. */
unsigned int sharing__add(struct sharing *s, const struct replay_io *io);

/*
 * True when IO `number` of this worker may be submitted now; stays true. Known from when the worker has the IO until it
 * is submitted.
 */
bool sharing__may_go(const struct sharing *s, unsigned int worker, uint64_t number);

/* All IOs of this worker with a lower number were submitted, or have completed. Never goes back. */
void sharing__submitted(struct sharing *s, unsigned int worker, uint64_t below);
void sharing__completed(struct sharing *s, unsigned int worker, uint64_t below);

#endif
