/* SPDX-License-Identifier: MIT */
/*
 * Rows that several traces of one boot of a host hold, such as two files of a flight recorder: equal in
 * all that the kernel told. Looks for a row among the newest that the others gave.
 */
#ifndef BLKREEL_TRACE_STREAMS_TWINS_H
#define BLKREEL_TRACE_STREAMS_TWINS_H

#include "trace/file/reader.h"

/* Of the traces that are compared: bits of a 64-bit number. */
#define TWINS_MAX 64

struct twins;

/* The readers stay the caller's. *twins is NULL when no two are of one boot of a host. 0 or -ENOMEM. */
int twins__create(struct trace_reader *const *readers, unsigned int count, struct twins **twins);
void twins__free(struct twins *t); /* NULL is allowed */

/*
 * Whether another trace gave this row of the trace `source` before: 1, 0 or -ENOMEM. `going`: the traces that
 * have more rows, as bits. NULL: no.
 */
int twins__has(struct twins *t, unsigned int source, uint64_t going, enum row_kind kind,
	       const void *row);

/* IO rows that twins__has() found. */
uint64_t twins__ios(const struct twins *t);
/* Whether more than a tenth of its IOs that ended while another trace went on are in no other trace. */
bool twins__is_alone(const struct twins *t, unsigned int source);

/*
 * The time that two traces of one boot of a host share, if they have a device in common; 0: none. Both
 * were read to the end. Traces that both leave out IOs may have none in common: 0.
 */
uint64_t twins_shared_ns(const struct trace_reader *a, const struct trace_reader *b);

#endif
