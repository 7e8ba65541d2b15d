/* SPDX-License-Identifier: MIT */
/* How this kernel lets probes attach to functions, for events that have no tracepoint. */
#ifndef BLKREEL_COLLECTOR_KERNEL_FUNCTION_PROBES_H
#define BLKREEL_COLLECTOR_KERNEL_FUNCTION_PROBES_H

enum function_probe_type {
	FUNCTION_PROBES_NONE,
	FUNCTION_PROBES_FENTRY, /* and fexit */
	FUNCTION_PROBES_KPROBE, /* and kretprobe */
};

/* The best type that this kernel allows. The first call tries it, and needs the privileges that
 * recording needs. BLKREEL_FORCE_TIER in the environment ("tracepoint", "fentry", "kprobe")
 * restricts the choice to that tier. */
enum function_probe_type function_probes__type(void);

#endif
