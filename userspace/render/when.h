/* SPDX-License-Identifier: MIT */
/* When something happened, in the words that the options --from and --to take. */
#ifndef BLKREEL_RENDER_WHEN_H
#define BLKREEL_RENDER_WHEN_H

#include <stdint.h>

#define WHEN_TEXT_MAX 64

/* "2026-11-27 05:17:57 UTC", in this process's time zone as --from takes it; "": not known. Returns `text`. */
const char *when_wall(uint64_t wall_ns, char text[WHEN_TEXT_MAX]);

/* "12.345 s" after the start of the recording; what was before it is at 0. Returns `text`. */
const char *when_at(uint64_t time_ns, uint64_t start_ns, char text[WHEN_TEXT_MAX]);

#endif
