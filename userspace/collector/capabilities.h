/*
 * What this kernel lets the probes see: each program with the tracepoint that it needs, and each
 * kind of figure with what it rests on and what its lack costs. Decided by BTF.
 */
#ifndef BLKREEL_COLLECTOR_CAPABILITIES_H
#define BLKREEL_COLLECTOR_CAPABILITIES_H

#include <stdbool.h>

#include "trace/rows.h"

struct probe_program {
	const char *program; /* its name in the BPF object */
	const char *tracepoint;
	bool cache;		    /* belongs to the page-cache account */
	bool full;		    /* not of a lean recording */
	const char *with, *without; /* other tracepoints that must or must not exist; NULL: any */
};

/* All programs; the last has .program == NULL. */
extern const struct probe_program probe_programs[];

/* Can and should this program be loaded here, with or without the page cache, for a lean recording or
 * a full one? */
bool capabilities__usable(const struct probe_program *program, bool cache, bool lean);

/* One tier per kind of figure, the page cache's only with `cache`. */
void capabilities__each_tier(bool cache, bool lean,
			     void (*each)(const struct trace_tier *tier, void *context),
			     void *context);

#endif
