/* SPDX-License-Identifier: MIT */
/* A sample of the live figures (collector/counters/live.h) as lines for people, or as one line of JSON. */
#ifndef BLKREEL_RENDER_STAT_STAT_H
#define BLKREEL_RENDER_STAT_STAT_H

#include <stdio.h>

#include "collector/counters/live.h"

struct stat_style {
	unsigned int width; /* columns of a line; 0: as many as there are */
	bool color;
	bool time; /* every line begins with the time of day */
	bool all;  /* idle devices too */
};

/* The names of the columns, one line. */
void stat_text_header(FILE *out, const struct stat_style *style);

/* A line for each device that did something (and each that was named), and one more for each operation
 * where there were several; returns how many lines. */
unsigned int stat_text_devices(FILE *out, const struct stat_style *style,
			       const struct live_sample *sample);

/* The page cache, in one line where it fits; how many lines were printed (0: there is no account). */
unsigned int stat_text_cache(FILE *out, const struct stat_style *style,
			     const struct live_sample *sample);

/* What was lost, and devices that came and went: a line each; how many. */
unsigned int stat_text_notes(FILE *out, const struct stat_style *style,
			     const struct live_sample *sample);

/* One line of JSON, schema blkreel.stat/1. `total`: it is the sum of the whole run. 0 or negative errno. */
int stat_json(FILE *out, const struct live *live, const struct live_sample *sample, bool total);

#endif
