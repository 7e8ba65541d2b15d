/* SPDX-License-Identifier: MIT */
/* Converts a record of the probes to a row of the trace: the only place where a record becomes a
 * row. */
#ifndef BLKREEL_COLLECTOR_ROWS_TRANSLATE_H
#define BLKREEL_COLLECTOR_ROWS_TRANSLATE_H

#include "bpf/event.h"
#include "trace/rows.h"

/* Fills all fields of the row but the ids of tables and the depth. A creation before `start_ns`,
 * when the probes began to record, marks the row. Needs numbering__init(). */
void translate__io(const struct io_event *event, uint64_t start_ns, struct io_row *row);

#endif
