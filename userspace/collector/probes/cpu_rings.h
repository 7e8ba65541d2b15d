/* SPDX-License-Identifier: MIT */
/* The records of requests that the probes leave in memory which both sides see, of each CPU in its own. */
#ifndef BLKREEL_COLLECTOR_PROBES_CPU_RINGS_H
#define BLKREEL_COLLECTOR_PROBES_CPU_RINGS_H

#include <stdint.h>

#include "bpf/event.h"

struct cpu_rings;

/* Records of each of `cpus` for memory of about `ring_bytes`, a power of two; 0: this kernel or processor cannot do it. */
uint32_t cpu_rings__slots(unsigned int cpus, uint64_t ring_bytes);

/* Maps the two maps of bpf/maps.bpf.h, of which `slots` is per CPU. 0 or negative errno. */
int cpu_rings__map(int rings_fd, int events_fd, unsigned int cpus, uint32_t slots,
		   struct cpu_rings **rings);
void cpu_rings__free(struct cpu_rings *rings); /* NULL is allowed */

/* Notes how many records there are now; what the others are about. */
void cpu_rings__look(struct cpu_rings *rings);
/* The time up to which about `most` records have completed that were not handed out; UINT64_MAX: that is all of them. */
uint64_t cpu_rings__moment(const struct cpu_rings *rings, uint64_t most);
/* Hands out records that were there at the last look, of each CPU in their order up to the first that completed after
 * until_ns. They stay where they are. 0 or the first that is not 0 of `each`. */
int cpu_rings__take(struct cpu_rings *rings, uint64_t until_ns,
		    int (*each)(void *context, const struct io_event *event), void *context);
/* The room of what was handed out is the probes' again. */
void cpu_rings__let_go(struct cpu_rings *rings);

#endif
