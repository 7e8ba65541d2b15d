/* SPDX-License-Identifier: MIT */
/*
 * How far the work of a command is and how long it will still take, on one line of stderr: only on a
 * terminal, and from the second second on. Work is counted in units of about the same time, mostly
 * bytes of files. One thread counts; without progress_start() nothing is counted.
 */
#ifndef BLKREEL_BASE_PROGRESS_H
#define BLKREEL_BASE_PROGRESS_H

#include <stdint.h>

#include "base/units.h"

/* `title` stands before the figures and must stay. `work`: units, or 0: not known. */
void progress_start(const char *title, double work);

/* From now on each unit that is done counts as `weight` units (1). */
void progress_weigh(double weight);

/* Units that were done. */
void progress_add(uint64_t units);

/* Removes the line. */
void progress_stop(void);

/* What is left after `elapsed_ns` in which `share` (0 to 1) was done; 0: not known. */
uint64_t progress_left_ns(uint64_t elapsed_ns, double share);

/* "12s", "3m05s", "2h07m", rounded up. */
const char *progress_left_text(uint64_t left_ns, char text[UNITS_TEXT_MAX]);

#endif
