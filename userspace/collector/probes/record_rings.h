/* SPDX-License-Identifier: MIT */
/*
 * The collector's side of the probes' ring buffers (BPF_MAP_TYPE_RINGBUF): records of all kinds, in each ring in about the order
 * of their times. Of very many that wait, the earliest of all rings can be taken alone.
 */
#ifndef BLKREEL_COLLECTOR_PROBES_RECORD_RINGS_H
#define BLKREEL_COLLECTOR_PROBES_RECORD_RINGS_H

#include <stddef.h>
#include <stdint.h>

struct record_rings;

/* When what a record tells of ended; 0: it has no time of its own, and goes with what comes before it. */
typedef uint64_t (*record_time)(const void *data, size_t bytes);

/* Room for `count` rings of `ring_bytes` each, a power of two. 0 or negative errno. */
int record_rings__create(unsigned int count, uint64_t ring_bytes, record_time time_of,
			 struct record_rings **rings);
/* One more; `fd` is closed with the rings, also on error. 0 or negative errno. */
int record_rings__add(struct record_rings *rings, int fd);
void record_rings__free(struct record_rings *rings); /* NULL is allowed */

/* Until a probe asks for attention, timeout_ms at most. 0 or negative errno, -EINTR among them. */
int record_rings__wait(struct record_rings *rings, int timeout_ms);
/* Notes how much there is now; what the others are about. */
void record_rings__look(struct record_rings *rings);
/* The time up to which about `most` records can be taken; UINT64_MAX: that is all of them. */
uint64_t record_rings__moment(const struct record_rings *rings, uint64_t most);
/* Hands out what there was at the last look, of each ring in its order up to the first record that is later than until_ns. The
 * room is the probes' again. 0 or the first of `each` that is below 0. */
int record_rings__take(struct record_rings *rings, uint64_t until_ns,
		       int (*each)(void *context, void *data, size_t bytes), void *context);

#endif
