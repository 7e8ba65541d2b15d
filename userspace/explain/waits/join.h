/* SPDX-License-Identifier: MIT */
/* Finds the IO that ended a sleep, and divides the sleep by its parts. */
#ifndef BLKREEL_EXPLAIN_WAITS_JOIN_H
#define BLKREEL_EXPLAIN_WAITS_JOIN_H

#include <stdbool.h>

#include "explain/waits/kept_ios.h"
#include "explain/figures/labels.h"
#include "explain/figures/wait_cause.h"

struct wait_join;

/* `ios` must outlive it. NULL: no memory. */
struct wait_join *wait_join__new(const struct explain_tables *tables, const struct kept_ios *ios);
void wait_join__free(struct wait_join *j); /* NULL is allowed */

/* Whether an IO of the task's own process ended the sleep of `cause` (CAUSE_OF_IO, CAUSE_OF_PAGE). */
bool wait_join__has_io(const struct wait_join *j, const struct wait_row *sleep,
		       enum wait_cause cause);

/* Whether the call of the sleep collects completions: of IOs of any thread of its process, on any device. */
bool wait_join__is_for_completions(const struct wait_row *sleep);

enum wait_device {
	WAIT_DEVICE_UNKNOWN = 0,
	WAIT_DEVICE_TAKEN,
	WAIT_DEVICE_OTHER,
};

/* Whether the IO that ended the sleep, or the one below it on stacked devices, is of a device that `takes` names. */
enum wait_device wait_join__device(const struct wait_join *j, const struct wait_row *sleep,
				   enum wait_cause cause, uint32_t file, explain_takes_fn *takes,
				   const void *context);

/* The part of a sleep for completions (CAUSE_OF_IO) before the IO existed that ended it: all, if none did. */
uint64_t wait_join__idle_ns(const struct wait_join *j, const struct wait_row *sleep);

/* Whether a write or flush of a recorded device completed during the sleep. */
bool wait_join__has_write(const struct wait_join *j, const struct wait_row *sleep);

/*
 * Divides a sleep for IO (`cause`: CAUSE_OF_IO or CAUSE_OF_PAGE) among the causes: ns[] gets parts
 * that add up to its duration. `file`: of its call, 0: not known. What was submitted
 * since `since_ns` the task asked for itself. Returns the place of the IO, or KEPT_IOS_NONE: on
 * stacked devices that of the IO below that had a turn in a scheduler.
 */
uint64_t wait_join__divide(const struct wait_join *j, const struct wait_row *sleep,
			   enum wait_cause cause, uint32_t file, uint64_t since_ns,
			   uint64_t ns[CAUSE_COUNT]);

#endif
