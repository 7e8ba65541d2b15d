/* SPDX-License-Identifier: MIT */
/*
 * How a replay differed from the recording: the lines that replays on devices and on files share.
 */
#ifndef BLKREEL_RENDER_REPLAY_DEVIATIONS_H
#define BLKREEL_RENDER_REPLAY_DEVIATIONS_H

#include <stdint.h>
#include <stdio.h>

/* Prints "  COUNT NOUNs WHAT", or nothing if the count is 0. */
void deviation_counted(FILE *out, uint64_t count, const char *noun, const char *what);

/* Prints how many of an op failed with an errno; 0: with fewer bytes than asked for. */
void deviation_failed(FILE *out, uint64_t count, const char *op, int error);

#endif
