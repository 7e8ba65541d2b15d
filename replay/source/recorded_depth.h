/* SPDX-License-Identifier: MIT */
/*
 * A source on top of another that counts how many of its IOs were in flight when they were recorded: from
 * creation to completion, as a replay counts its own.
 */
#ifndef BLKREEL_REPLAY_SOURCE_RECORDED_DEPTH_H
#define BLKREEL_REPLAY_SOURCE_RECORDED_DEPTH_H

#include "replay/source/source.h"

/* `below` must outlive the source; it is not freed with it. 0 or -ENOMEM. */
int recorded_depth__create(struct replay_source *below, struct replay_source **source);

/* The most IOs in flight at once, of those that were read; 0: no completion is known. */
uint32_t recorded_depth__highest(const struct replay_source *source);

#endif
