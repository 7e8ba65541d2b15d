/* SPDX-License-Identifier: MIT */
/* Times of a recording as a clock on the wall shows them. */
#ifndef BLKREEL_COMMANDS_SHARED_WALL_TIME_H
#define BLKREEL_COMMANDS_SHARED_WALL_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/options.h"

/* When a recording began (Unix time; 0: not known) and how long it is (0: not known). */
struct wall_span {
	uint64_t start_ns, length_ns;
};

/* Whether the value of an option (NULL: none) is a wall time: "15:04", "15:04:05", "2026-11-21T15:04[:05][Z]". */
bool wall_time_given(const char *text);

/*
 * The time from the start to `text`, in ns, in this process's time zone, or UTC with Z. The second, or without seconds
 * the minute, in which the recording began means its start. A time of day before it is one of the next day if the
 * recording reaches it. 0; -EINVAL: no such time; -ERANGE: it is before the start.
 */
int wall_time_since(const char *text, const struct wall_span *span, uint64_t *since_ns);

/*
 * The value `text` of the option --`name`: a time of the recording, which *time_ns becomes, or a
 * wall time, which wall_time_options_set() sets. NULL: the option is not given. EXIT_OK, or
 * EXIT_USAGE after a message.
 */
int wall_time_option_check(const struct command_usage *usage, const char *name, const char *text,
			   uint64_t *time_ns);

/*
 * Sets those of *from_ns and *to_ns whose option is a wall time, once the recording `path` is open. EXIT_OK, or
 * EXIT_USAGE after a message: --from is after the end, --to at the start, or one of them before it.
 */
int wall_time_options_set(const struct command_usage *usage, const char *path,
			  const struct wall_span *span, const char *from, uint64_t *from_ns,
			  const char *to, uint64_t *to_ns);

#endif
