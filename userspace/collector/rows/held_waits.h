/* SPDX-License-Identifier: MIT */
/*
 * Records of waits from the ring buffers, until all ring buffers are read up to their end: the name of
 * the file can be in another one.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_HELD_WAITS_H
#define BLKREEL_COLLECTOR_ROWS_HELD_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/waits.h"

/* Begins as zeroes. */
struct held_waits {
	struct wait_event *events;
	size_t count, size;
};

/* Copies a record. 0 or -ENOMEM. */
int held_waits__add(struct held_waits *h, const struct wait_event *event);

/* Hands out those that ended by `until_ns`, in the order in which they were added, and forgets them. 0,
 * or the first result of `each` that is not 0. */
int held_waits__release(struct held_waits *h, uint64_t until_ns,
			int (*each)(const struct wait_event *event, void *context), void *context);

void held_waits__free(struct held_waits *h);

#endif
