/* SPDX-License-Identifier: MIT */
/* When something happened, in the words that the options --from and --to take. */
#ifndef BLKREEL_RENDER_WHEN_H
#define BLKREEL_RENDER_WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/rows.h"

#define WHEN_TEXT_MAX	 64
#define WHEN_WARNING_MAX 256

/* "2026-11-27 05:17:57 UTC", in this process's time zone as --from takes it; "": not known. Returns `text`. */
const char *when_wall(uint64_t wall_ns, char text[WHEN_TEXT_MAX]);

/* "12.345 s" after the start of the recording; what was before it is at 0. Returns `text`. */
const char *when_at(uint64_t time_ns, uint64_t start_ns, char text[WHEN_TEXT_MAX]);

/*
 * How far the clock jumped ahead of the recording's own (below 0: back) from its start to its end.
 * False: not known. `summary` may be NULL.
 */
bool when_clock_jump(const struct trace_host *host, const struct trace_summary *summary,
		     int64_t *jump_ns);

/* A sentence about a jump of more than a second; "": none, or not known. Returns `text`. */
const char *when_clock_warning(const struct trace_host *host, const struct trace_summary *summary,
			       char text[WHEN_WARNING_MAX]);

#endif
