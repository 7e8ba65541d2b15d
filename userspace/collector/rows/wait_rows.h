/* SPDX-License-Identifier: MIT */
/* What tasks wait for: records and tables of the probes to wait rows, addresses to stacks. */
#ifndef BLKREEL_COLLECTOR_ROWS_WAIT_ROWS_H
#define BLKREEL_COLLECTOR_ROWS_WAIT_ROWS_H

#include "collector/probes/probes.h"
#include "collector/rows/registry.h"

struct wait_rows;

/* Reads the names of the kernel's functions, as long as the process may. 0 or -ENOMEM. */
int wait_rows__create(struct probes *probes, struct wait_rows **rows);
void wait_rows__free(struct wait_rows *w); /* NULL is allowed */

/* Begins another trace: stacks are written again when they next occur. */
void wait_rows__begin_trace(struct wait_rows *w);

/* Appends the row of a record that lies between the two times. 0 or negative errno. */
int wait_rows__add(struct wait_rows *w, const struct wait_event *event, struct registry *registry,
		   struct trace_writer *writer, uint64_t active_ns, uint64_t stop_ns);

enum wait_rows_until {
	WAITS_UNTIL_TICK = 0,
	WAITS_UNTIL_SEAM, /* the end of a part: tasks go on */
	WAITS_UNTIL_END,  /* of the recording, at the time `now_ns` */
};

/* Appends what has changed since the last call: calls that did not block, and the time of each
 * task. At the end of a part also the sleeps and calls that have not ended; a later part has them
 * whole. 0 or negative errno. */
int wait_rows__write(struct wait_rows *w, struct registry *registry, struct trace_writer *writer,
		     uint64_t active_ns, uint64_t now_ns, enum wait_rows_until until);

uint64_t wait_rows__rows(const struct wait_rows *w);

#endif
