/* SPDX-License-Identifier: MIT */
/*
 * Which requests were in flight at a moment, while the probes go on: those that the kernel still has
 * when it is asked after that moment, and those that ended in between.
 */
#ifndef BLKREEL_COLLECTOR_PROBES_IN_FLIGHT_SNAPSHOT_H
#define BLKREEL_COLLECTOR_PROBES_IN_FLIGHT_SNAPSHOT_H

#include <stdint.h>

#include "bpf/event.h"

struct in_flight_snapshot {
	uint64_t at_ns;
	uint64_t asked; /* how often a request was shown */
	struct in_flight_request *requests;
};

/* Zeroed but for at_ns before the first call. A request may be shown more than once, and one that was
 * not in flight then. `context` is a struct in_flight_snapshot. 0; -ENOMEM; -ELOOP: the kernel's table changes
 * faster than it can be walked. */
int in_flight_snapshot__note(const struct io_event *event, void *context);
uint64_t in_flight_snapshot__count(const struct in_flight_snapshot *f);
void in_flight_snapshot__release(struct in_flight_snapshot *f);

#endif
