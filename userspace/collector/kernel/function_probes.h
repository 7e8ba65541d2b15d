/* SPDX-License-Identifier: MIT */
/* How functions of the kernel can be seen, where there is no tracepoint for what is wanted of them. */
#ifndef BLKREEL_COLLECTOR_KERNEL_FUNCTION_PROBES_H
#define BLKREEL_COLLECTOR_KERNEL_FUNCTION_PROBES_H

enum function_probe_type {
	FUNCTION_PROBES_NONE,
	FUNCTION_PROBES_FENTRY, /* and fexit */
	FUNCTION_PROBES_KPROBE, /* and kretprobe */
};

/* The best way that this kernel takes: tried once, with the rights that recording needs. BLKREEL_FORCE_TIER in the
 * environment ("tracepoint", "fentry", "kprobe") leaves out what is not of that tier. */
enum function_probe_type function_probes__type(void);

#endif
