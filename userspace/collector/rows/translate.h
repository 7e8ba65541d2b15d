/* SPDX-License-Identifier: MIT */
/* From this kernel's numbers to the trace's: the one place where a record becomes a row. */
#ifndef BLKREEL_COLLECTOR_ROWS_TRANSLATE_H
#define BLKREEL_COLLECTOR_ROWS_TRANSLATE_H

#include "bpf/event.h"
#include "trace/rows.h"

/* After numbering__init(). Fills everything of the row but the ids of tables and the depth. A creation before `start_ns`,
 * when the probes began to take notice, marks the row. */
void translate__io(const struct io_event *event, uint64_t start_ns, struct io_row *row);

#endif
