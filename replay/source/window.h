/* SPDX-License-Identifier: MIT */
/*
 * Turns a row of a trace or a profile into an IO to replay, and chooses a part of the recording.
 */
#ifndef BLKREEL_REPLAY_SOURCE_WINDOW_H
#define BLKREEL_REPLAY_SOURCE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/source/source.h"
#include "trace/rows.h"

/*
 * A part of the source's time, from the start of the recording: from_ns <= t < to_ns, without the IOs of some parties
 * (trace/streams/left_out.h).
 */
struct replay_window {
	uint64_t from_ns;
	uint64_t to_ns; /* UINT64_MAX: to the end */
	const char *const *without;
	unsigned int without_count;
};

/* True when the time lies in the window. */
static inline bool replay_window__holds(const struct replay_window *w, uint64_t time_ns)
{
	return time_ns >= w->from_ns && time_ns < w->to_ns;
}

/* Fills everything except due_ns. 0; -ERANGE: the addresses do not fit in 64 bits. */
int replay_io_from_row(const struct io_row *row, struct replay_io *io);

#endif
