/* SPDX-License-Identifier: MIT */
/*
 * The collector's side of the probes' ring buffers (BPF_MAP_TYPE_RINGBUF): records of all kinds,
 * each ring roughly in the order of their times. When very many wait, the caller can take only the
 * earliest of all rings.
 */
#ifndef BLKREEL_COLLECTOR_PROBES_RECORD_RINGS_H
#define BLKREEL_COLLECTOR_PROBES_RECORD_RINGS_H

#include <stddef.h>
#include <stdint.h>

struct record_rings;

/* The end time of a record; 0: it has none, and is taken together with the record before it. */
typedef uint64_t (*record_time)(const void *data, size_t bytes);

/* Creates an empty set for `count` rings of `ring_bytes` each, a power of two. 0 or negative
 * errno. */
int record_rings__create(unsigned int count, uint64_t ring_bytes, record_time time_of,
			 struct record_rings **rings);
/* Adds a ring; `fd` is closed with the rings, also on error. 0 or negative errno. */
int record_rings__add(struct record_rings *rings, int fd);
void record_rings__free(struct record_rings *rings); /* NULL is allowed */

/* Waits until a probe wakes the collector, timeout_ms at most. 0 or negative errno, also -EINTR. */
int record_rings__wait(struct record_rings *rings, int timeout_ms);
/* Notes how much data there is now; the functions below see no later records. */
void record_rings__refresh(struct record_rings *rings);
/* The time by which about `most` records have ended; UINT64_MAX: all have. */
uint64_t record_rings__moment(const struct record_rings *rings, uint64_t most);
/* Hands out noted records, in the order of each ring, up to the first one that is later than
 * until_ns, and returns their space to the probes. 0, or the first negative result of `each`. */
int record_rings__take(struct record_rings *rings, uint64_t until_ns,
		       int (*each)(void *context, void *data, size_t bytes), void *context);

#endif
