/* SPDX-License-Identifier: MIT */
/* In what a replay was not what was recorded: the lines that replays on devices and on files share. */
#ifndef BLKREEL_RENDER_REPLAY_DEVIATIONS_H
#define BLKREEL_RENDER_REPLAY_DEVIATIONS_H

#include <stdint.h>
#include <stdio.h>

/* "  COUNT NOUNs WHAT", or nothing where the count is 0. */
void deviation_counted(FILE *out, uint64_t count, const char *noun, const char *what);

/* So many of an op failed, with an errno; 0: by fewer bytes than were asked for. */
void deviation_failed(FILE *out, uint64_t count, const char *op, int error);

#endif
