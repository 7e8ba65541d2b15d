/* SPDX-License-Identifier: MIT */
/* The state of the probes; for probes.c, settings.c and counts.c alone. */
#ifndef BLKREEL_COLLECTOR_PROBES_INTERNAL_H
#define BLKREEL_COLLECTOR_PROBES_INTERNAL_H

#include "bpf/bio.h"
#include "bpf/waits.h"
#include "collector/probes/cpu_rings.h"
#include "collector/probes/record_rings.h"
#include "collector/probes/watch_table.h"
#include "collector.skel.h"

struct probes_options;

struct probes {
	struct collector_bpf *skeleton;
	struct record_rings *record_rings;
	unsigned int ring_count;
	uint64_t ring_bytes;
	/* Records of requests go through shared memory of each CPU; NULL: not possible here. */
	struct cpu_rings *cpu_rings;
	unsigned int cpu_count;
	uint32_t cpu_events;
	uint64_t drained_ns;
	struct watch_table watched;
	unsigned int parts;
	uint64_t lost_calls; /* as probes__losses() told last */
	/* Where probes__drain() passes records on. */
	int (*each)(void *context, void *data, size_t bytes);
	void *context;
};

/* settings.c: before the probes are loaded.
 * ------------------------------------------------------- */

/* The subset of `parts` (enum probe_part) whose tracepoints this kernel has. */
unsigned int probes_settings__possible(unsigned int parts);
/* Chooses the programs of p->parts and configures them. p->watched and the sizes of the rings must
 * be set. */
void probes_settings__apply(struct probes *p, const struct probes_options *options);

#endif
