/* SPDX-License-Identifier: MIT */
/* The newest request of each device, operation and bucket that made a flight recorder write a file:
 * the exemplars of the histogram blkreel_device_io_seconds. */
#ifndef BLKREEL_RENDER_METRICS_EXEMPLARS_H
#define BLKREEL_RENDER_METRICS_EXEMPLARS_H

#include <stdbool.h>

#include "render/metrics/exposition.h"
#include "trace/rows.h"

#define EXEMPLARS_MAX 256 /* the oldest one makes room */

struct exemplars;

struct exemplars *exemplars__new(void);	   /* NULL: out of memory */
void exemplars__free(struct exemplars *e); /* NULL is allowed */

/*
 * Adds the request of a trigger that `host` names, under the name of its file, if it ended
 * between `since_ns` and `now_ns` (CLOCK_REALTIME). False: there is none, or the file's name is too long for an exemplar.
 */
bool exemplars__add(struct exemplars *e, const char *file, const struct trace_host *host,
		    uint64_t since_ns, uint64_t now_ns);

/* Fills at most EXPOSITION_BUCKETS_MAX exemplars of a device and operation; returns how many.
 * Buckets are those of exposition__histogram(). */
unsigned int exemplars__find(const struct exemplars *e, const char *device, const char *op,
			     unsigned int buckets, unsigned int first_bits,
			     struct exposition_exemplar found[EXPOSITION_BUCKETS_MAX]);

#endif
