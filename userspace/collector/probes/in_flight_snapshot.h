/* SPDX-License-Identifier: MIT */
/*
 * The requests that were in flight at a moment, taken while the probes go on: those that the kernel
 * still has when asked after that moment, and those that ended since.
 */
#ifndef BLKREEL_COLLECTOR_PROBES_IN_FLIGHT_SNAPSHOT_H
#define BLKREEL_COLLECTOR_PROBES_IN_FLIGHT_SNAPSHOT_H

#include <stdint.h>

#include "bpf/event.h"

struct in_flight_snapshot {
	uint64_t at_ns;
	uint64_t asked; /* calls of in_flight_snapshot__note() */
	struct in_flight_request *requests;
};

/* Adds a request. `context` is a struct in_flight_snapshot, zeroed but for at_ns before the first
 * call. Accepts a request more than once, and one that was not in flight at that moment. 0;
 * -ENOMEM; -ELOOP: the kernel's table changes faster than it can be walked. */
int in_flight_snapshot__note(const struct io_event *event, void *context);
/* The number of requests that were in flight. */
uint64_t in_flight_snapshot__count(const struct in_flight_snapshot *f);
/* Frees the requests. */
void in_flight_snapshot__release(struct in_flight_snapshot *f);

#endif
