/* SPDX-License-Identifier: MIT */
/* The table of distributions of time that a replay ends with, for requests and for files. */
#ifndef BLKREEL_RENDER_LATENCIES_H
#define BLKREEL_RENDER_LATENCIES_H

#include "base/histogram.h"
#include "render/table.h"

/*
 * A table with its head: a name, what the times count from, `counted` ("IOs"), then the figures of a
 * distribution. table__free() frees it. NULL: out of memory.
 */
struct table *latencies__new(const char *counted);

/* Adds one row. The times in `h` are in ns; an empty histogram adds no row. */
void latencies__row(struct table *t, const char *name, const char *since,
		    const struct histogram *h);

#endif
