/* SPDX-License-Identifier: MIT */
/* The kernel stacks that slept: each is written once to a trace, by the names of its functions. */
#ifndef BLKREEL_COLLECTOR_ROWS_WAIT_STACKS_H
#define BLKREEL_COLLECTOR_ROWS_WAIT_STACKS_H

#include "collector/probes/probes.h"
#include "trace/file/writer.h"

struct wait_stacks;

/* Reads the names of the kernel's functions, as long as the process may. 0 or -ENOMEM. */
int wait_stacks__create(struct probes *probes, struct wait_stacks **stacks);
void wait_stacks__free(struct wait_stacks *s); /* NULL is allowed */

/* Begins another trace: stacks are written again when they next occur. */
void wait_stacks__begin_trace(struct wait_stacks *s);

/* The id in the trace of a stack that the probes call `key`. 0: not known. */
uint32_t wait_stacks__id(struct wait_stacks *s, int32_t key, struct trace_writer *writer);

#endif
