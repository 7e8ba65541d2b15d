/* SPDX-License-Identifier: MIT */
/* Times of a recording as a clock on the wall shows them. */
#ifndef BLKREEL_COMMANDS_SHARED_WALL_TIME_H
#define BLKREEL_COMMANDS_SHARED_WALL_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"

/* Whether `text` has the form of a wall time: "15:04", "15:04:05", "2026-11-21T15:04[:05][Z]". */
bool wall_time_is(const char *text);

/*
 * The time from `start_wall_ns` (Unix time) to `text`, in ns, in this process's time zone, or UTC
 * with Z. A time of day is the first one at or after the start. 0; -EINVAL: no such time; -ERANGE:
 * it is before the start.
 */
int wall_time_since(const char *text, uint64_t start_wall_ns, uint64_t *since_ns);

/*
 * The value `text` of the option --`name`: a time of the recording, which *time_ns becomes, or a
 * wall time, which wall_time_option_set() sets. NULL: the option is not given. EXIT_OK, or
 * EXIT_USAGE after a message.
 */
int wall_time_option_check(const struct command_usage *usage, const char *name, const char *text,
			   uint64_t *time_ns);

/*
 * The same once the trace or profile `path` is open: *time_ns becomes a wall time's distance from
 * `start_wall_ns` (0: `path` does not tell it). Other texts change nothing.
 */
int wall_time_option_set(const struct command_usage *usage, const char *name, const char *text,
			 const char *path, uint64_t start_wall_ns, uint64_t *time_ns);

#endif
