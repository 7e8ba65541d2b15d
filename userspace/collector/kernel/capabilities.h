/* SPDX-License-Identifier: MIT */
/*
 * What this kernel lets the probes see, decided from its BTF: for each program the tracepoint that
 * it needs, and for each kind of figure what it needs and what is lost without that.
 */
#ifndef BLKREEL_COLLECTOR_KERNEL_CAPABILITIES_H
#define BLKREEL_COLLECTOR_KERNEL_CAPABILITIES_H

#include <stdbool.h>

#include "trace/rows.h"

/* The parts of a recording, as bits. */
enum probe_part {
	PROBE_CACHE = 1 << 0,	 /* the page-cache account */
	PROBE_BIOS = 1 << 1,	 /* bios of devices that have no requests */
	PROBE_BELOW = 1 << 2,	 /* bios that those devices send on to others */
	PROBE_LINKS = 1 << 3,	 /* links from an IO to the IO above it that it is part of */
	PROBE_LIFE = 1 << 4,	 /* the whole life of a request, not only its completion */
	PROBE_REQUESTS = 1 << 5, /* the completion of every request */
	PROBE_ACCESS = 1 << 6,	 /* with PROBE_CACHE: each operation on a file */
	PROBE_POLLED = 1 << 7,	 /* with PROBE_LIFE: also of devices whose completions are polled */
	PROBE_PROCESSES = 1 << 8, /* which processes there are, and what they fork */
	PROBE_WAITS = 1 << 9,	  /* what tasks wait for */
	PROBE_CALLS = 1 << 10,	  /* with PROBE_WAITS: also the calls that do not block */
	PROBE_ALL = PROBE_CACHE | PROBE_BIOS | PROBE_BELOW | PROBE_LINKS | PROBE_LIFE |
		    PROBE_REQUESTS | PROBE_ACCESS | PROBE_WAITS | PROBE_CALLS,
};

struct probe_program {
	const char *program; /* its name in the BPF object */
	const char *tracepoint;
	unsigned int part;	    /* enum probe_part that loads it; 0: always */
	const char *with, *without; /* other tracepoints that must or must not exist; NULL: any */
	/* The kernel function to which the program attaches where the tracepoint is missing; NULL:
	 * it attaches to the tracepoint. */
	const char *function;
	/* A copy of the first program of its tracepoint, needed where probes are preempted or
	 * interrupted. */
	bool again;
};

/* The suffixes of the names of these copies; NULL at the end. */
#define PROBE_SUFFIXES 2
extern const char *const probe_suffixes[PROBE_SUFFIXES + 1];

/* All programs; the last one has .program == NULL. */
extern const struct probe_program probe_programs[];

/* Whether this kernel skips a probe while another call of it on the same CPU is preempted. */
bool capabilities__probes_are_preempted(void);

/* Whether this kernel can load a program and `parts` (enum probe_part) need it. */
bool capabilities__usable(const struct probe_program *program, unsigned int parts);

/* Calls `each` with one tier for each kind of figure that belongs to `parts`. Texts are static. */
void capabilities__each_tier(unsigned int parts,
			     void (*each)(const struct trace_tier *tier, void *context),
			     void *context);

/* Whether this kernel can tell a kind of figure, whose part must be in `parts`. If not, *why (NULL
 * is allowed) receives the reason, which is static. */
bool capabilities__can_tell(const char *figure, unsigned int parts, const char **why);

#endif
