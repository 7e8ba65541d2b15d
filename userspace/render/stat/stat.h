/* SPDX-License-Identifier: MIT */
/* A sample of the live figures (collector/counters/live.h) as text or as one line of JSON. */
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

/* A line for each active device (and each that was named), and one more for each operation if there
 * were several. Returns the number of lines. */
unsigned int stat_text_devices(FILE *out, const struct stat_style *style,
			       const struct live_sample *sample);

/* The page cache, in as many lines as the width needs. Returns the number of lines (0: there is no account). */
unsigned int stat_text_cache(FILE *out, const struct stat_style *style,
			     const struct live_sample *sample);

/* Losses, and devices that appeared or vanished: a line each. Returns the number of lines. */
unsigned int stat_text_notes(FILE *out, const struct stat_style *style,
			     const struct live_sample *sample);

/*
 * One line of JSON, schema blkreel.stat/1. `total`: the sum of the whole run. `all`: idle devices
 * too. 0 or negative errno.
 */
int stat_json(FILE *out, const struct live *live, const struct live_sample *sample, bool total,
	      bool all);

#endif
