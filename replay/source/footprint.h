/* SPDX-License-Identifier: MIT */
/*
 * Which parts of a device IOs touch, in granules, and where each part lies when the rest is left
 * out. The order of addresses stays, and contiguous parts stay contiguous.
 */
#ifndef BLKREEL_REPLAY_SOURCE_FOOTPRINT_H
#define BLKREEL_REPLAY_SOURCE_FOOTPRINT_H

#include <stdint.h>

#include "replay/source/source.h"

/* A multiple of every block size, so that alignment does not change. */
#define FOOTPRINT_GRANULE_BYTES 65536ull

/* The most separate parts; 48 MiB of memory while they are collected. */
#define FOOTPRINT_PARTS_MAX (1u << 20)

struct footprint;

/* Creates an empty footprint. 0 or -ENOMEM. */
int footprint__create(struct footprint **footprint);
void footprint__free(struct footprint *f); /* NULL is allowed */

/* Adds the range of an IO. 0; -E2BIG: more separate parts than FOOTPRINT_PARTS_MAX; -ENOMEM. */
int footprint__add(struct footprint *f, const struct replay_io *io);

/* Ends the adding; the functions below work only then. 0 or -E2BIG. */
int footprint__finish(struct footprint *f);

/* The length of all parts together. */
uint64_t footprint__bytes(const struct footprint *f);

/* Where `offset_bytes` lies in the compact device; UINT64_MAX when no IO was there. */
uint64_t footprint__place(const struct footprint *f, uint64_t offset_bytes);

#endif
