/* SPDX-License-Identifier: MIT */
/* Gives IOs back by due time, out of a bounded number; equal times keep the order of arrival. */
#ifndef BLKREEL_REPLAY_SOURCE_REORDER_H
#define BLKREEL_REPLAY_SOURCE_REORDER_H

#include <stdbool.h>

#include "replay/source/source.h"

struct reorder;

/* 0 or -ENOMEM. `capacity` > 0. */
int reorder__create(unsigned int capacity, struct reorder **reorder);
void reorder__free(struct reorder *r); /* NULL is allowed */

bool reorder__full(const struct reorder *r);
bool reorder__empty(const struct reorder *r);
void reorder__push(struct reorder *r, const struct replay_io *io); /* not when full */
void reorder__pop(struct reorder *r, struct replay_io *io);	   /* not when empty */

/* IOs popped after one with a later due time: it held too few for them. */
uint64_t reorder__out_of_order(const struct reorder *r);

#endif
