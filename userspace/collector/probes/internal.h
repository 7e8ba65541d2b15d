/* SPDX-License-Identifier: MIT */
/* The probes from the inside; for the probes*.c files alone, which part it among them. */
#ifndef BLKREEL_COLLECTOR_PROBES_INTERNAL_H
#define BLKREEL_COLLECTOR_PROBES_INTERNAL_H

#include "bpf/bio.h"
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
	/* Requests have their records in memory of each CPU, where that can be: NULL. */
	struct cpu_rings *cpu_rings;
	unsigned int cpu_count;
	uint32_t cpu_events;
	uint64_t drained_ns;
	struct watch_table watched;
	unsigned int parts;
	/* Where drain() passes its records on. */
	int (*each)(void *context, void *data, size_t bytes);
	void *context;
};

/* probes_settings.c: before the probes are loaded. ------------------------------------------------ */

/* Those of `parts` (enum probe_part) of which this kernel has the tracepoints. */
unsigned int probes_settings__possible(unsigned int parts);
/* What of p->parts is loaded, and what its programs are told; p->watched and the sizes of rings are set. */
void probes_settings__apply(struct probes *p, const struct probes_options *options);

#endif
