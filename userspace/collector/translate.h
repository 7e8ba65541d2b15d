/* From this kernel's numbers to the trace's: the one place where a record becomes a row. */
#ifndef BLKREEL_COLLECTOR_TRANSLATE_H
#define BLKREEL_COLLECTOR_TRANSLATE_H

#include "bpf/event.h"
#include "trace/rows.h"

/* Learns this kernel's numbering of operations, flags and errors from its BTF. 0 or -errno. */
int translate__init(void);

/* Sets a bit for the kernel's number of each of `ops` (a bit for each enum io_op). */
void translate__kernel_ops(uint32_t ops, __u64 kernel_ops[4]);

/* Fills everything of the row but the ids of tables and the depth. A creation before `start_ns`,
 * when the probes began to take notice, marks the row. */
void translate__io(const struct io_event *event, uint64_t start_ns, struct io_row *row);

#endif
