/* SPDX-License-Identifier: MIT */
/*
 * Which parts of a device IOs touch, in granules, and where each lies when what is untouched
 * is left out: the order of addresses stays, and what was contiguous stays so.
 */
#ifndef BLKREEL_REPLAY_SOURCE_FOOTPRINT_H
#define BLKREEL_REPLAY_SOURCE_FOOTPRINT_H

#include <stdint.h>

#include "replay/source/source.h"

/* A multiple of every block size, so that alignment is what it was. */
#define FOOTPRINT_GRANULE_BYTES 65536ull

/* Separate parts; 48 MiB of memory while they are collected. */
#define FOOTPRINT_PARTS_MAX (1u << 20)

struct footprint;

/* 0 or -ENOMEM. */
int footprint__create(struct footprint **footprint);
void footprint__free(struct footprint *f); /* NULL is allowed */

/* 0; -E2BIG: more separate parts than FOOTPRINT_PARTS_MAX; -ENOMEM. */
int footprint__add(struct footprint *f, const struct replay_io *io);

/* Everything was added: makes the rest possible. 0 or -E2BIG. */
int footprint__finish(struct footprint *f);

/* Of all parts. */
uint64_t footprint__bytes(const struct footprint *f);

/* Where `offset_bytes` lies in the compact device; UINT64_MAX when no IO was there. */
uint64_t footprint__place(const struct footprint *f, uint64_t offset_bytes);

#endif
