/* SPDX-License-Identifier: MIT */
/* The latest intervals of each device, drawn below the table of stat: load and latency over time. */
#ifndef BLKREEL_RENDER_STAT_HISTORY_H
#define BLKREEL_RENDER_STAT_HISTORY_H

#include "collector/counters/live_sample.h"
#include "render/charts/charts.h"

struct stat_history;

int stat_history__create(struct stat_history **history); /* 0 or -ENOMEM */
void stat_history__free(struct stat_history *h);	 /* NULL is allowed */

/* Adds an interval; the oldest goes when there are more than fit on a terminal. 0 or -ENOMEM. */
int stat_history__add(struct stat_history *h, const struct live_sample *sample);

/*
 * Draws the device that had the most IOs in at most `lines` lines, as many charts as fit: its load,
 * its latency (p99), the map of its latencies. Returns the number of lines.
 */
unsigned int stat_history__draw(FILE *out, const struct chart_style *style,
				const struct stat_history *h, unsigned int lines);

#endif
