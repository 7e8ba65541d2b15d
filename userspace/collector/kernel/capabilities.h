/* SPDX-License-Identifier: MIT */
/*
 * What this kernel lets the probes see: each program with the tracepoint that it needs, and each
 * kind of figure with what it rests on and what its lack costs. Decided by BTF.
 */
#ifndef BLKREEL_COLLECTOR_KERNEL_CAPABILITIES_H
#define BLKREEL_COLLECTOR_KERNEL_CAPABILITIES_H

#include <stdbool.h>

#include "trace/rows.h"

/* What is recorded, as bits. */
enum probe_part {
	PROBE_CACHE = 1 << 0,	 /* the page-cache account */
	PROBE_BIOS = 1 << 1,	 /* devices that work without requests */
	PROBE_BELOW = 1 << 2,	 /* bios that such devices send on to others */
	PROBE_LINKS = 1 << 3,	 /* which IO below is part of which above */
	PROBE_LIFE = 1 << 4,	 /* of a request, more than its completion */
	PROBE_REQUESTS = 1 << 5, /* the completion of every request */
	PROBE_ACCESS = 1 << 6,	 /* with PROBE_CACHE: each operation on a file */
	PROBE_POLLED = 1 << 7,	 /* with PROBE_LIFE: of devices whose completions are polled for */
	PROBE_ALL = PROBE_CACHE | PROBE_BIOS | PROBE_BELOW | PROBE_LINKS | PROBE_LIFE |
		    PROBE_REQUESTS | PROBE_ACCESS,
};

struct probe_program {
	const char *program; /* its name in the BPF object */
	const char *tracepoint;
	unsigned int part;	    /* enum probe_part that it belongs to; 0: always */
	const char *with, *without; /* other tracepoints that must or must not exist; NULL: any */
	/* A function of the kernel that it is for, where the tracepoint is not there; NULL: it is for that. */
	const char *function;
	bool again; /* not the first of its tracepoint, and needed where probes are preempted or interrupted */
};

/* What the name of such a program has behind that of the first; NULL at the end. */
#define PROBE_SUFFIXES 2
extern const char *const probe_suffixes[PROBE_SUFFIXES + 1];

/* All programs; the last has .program == NULL. */
extern const struct probe_program probe_programs[];

/* Does this kernel skip a probe while another call of it on the same CPU is preempted? */
bool capabilities__probes_are_preempted(void);

/* Can and should this program be loaded here? */
bool capabilities__usable(const struct probe_program *program, unsigned int parts);

/* One tier per kind of figure that belongs to `parts`. */
void capabilities__each_tier(unsigned int parts,
			     void (*each)(const struct trace_tier *tier, void *context),
			     void *context);

#endif
