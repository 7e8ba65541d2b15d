/* SPDX-License-Identifier: MIT */
/* Records of requests in memory that the probes and the collector share, one ring for each CPU. */
#ifndef BLKREEL_COLLECTOR_PROBES_CPU_RINGS_H
#define BLKREEL_COLLECTOR_PROBES_CPU_RINGS_H

#include <stdint.h>

#include "bpf/event.h"

struct cpu_rings;

/* The number of records per CPU that about `ring_bytes` hold, a power of two; 0: this kernel or
 * processor does not support shared rings. */
uint32_t cpu_rings__slots(unsigned int cpus, uint64_t ring_bytes);

/* Maps the two maps of bpf/maps.bpf.h, with `slots` records per CPU. 0 or negative errno. The
 * caller frees *rings. */
int cpu_rings__map(int rings_fd, int events_fd, unsigned int cpus, uint32_t slots,
		   struct cpu_rings **rings);
void cpu_rings__free(struct cpu_rings *rings); /* NULL is allowed */

/* Notes how many records there are now; the functions below see no later ones. */
void cpu_rings__refresh(struct cpu_rings *rings);
/* The time by which about `most` records have completed that were not handed out; UINT64_MAX: all
 * have. */
uint64_t cpu_rings__moment(const struct cpu_rings *rings, uint64_t most);
/* Hands out noted records, in the order of each CPU, up to the first one that completed after
 * until_ns. The records stay in place. 0, or the first result of `each` that is not 0. */
int cpu_rings__take(struct cpu_rings *rings, uint64_t until_ns,
		    int (*each)(void *context, const struct io_event *event), void *context);
/* Returns the space of all records handed out to the probes. */
void cpu_rings__release(struct cpu_rings *rings);

#endif
