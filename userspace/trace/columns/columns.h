/* SPDX-License-Identifier: MIT */
/* Rows of one kind to and from the payload of a row block: a directory of columns, then them. */
#ifndef BLKREEL_TRACE_COLUMNS_COLUMNS_H
#define BLKREEL_TRACE_COLUMNS_COLUMNS_H

#include <stddef.h>

#include "trace/format.h"

/* Working memory of either direction, reused from block to block. */
struct columns;

struct columns *columns__new(void); /* NULL: no memory */
void columns__free(struct columns *c);

/* From now on what was found best for a column of io rows is taken for some further blocks, too, as long as
 * it costs no more than it did: trying all costs a third of the time, and live recordings have little. */
void columns__reuse_choices(struct columns *c);

/* Bytes of one row in memory, and the most that a full block of them can need as payload. */
size_t columns_row_size(enum row_kind kind);
size_t columns_row_size_max(void); /* of any kind */
size_t columns_payload_max(enum row_kind kind);

/*
 * Encodes `count` (1 to TRACE_BLOCK_ROWS_MAX) rows into `payload`, which holds
 * columns_payload_max(kind) bytes. `unit` (0 or 1: none) is what all times are multiples of.
 * Returns the bytes written and fills *cuts.
 */
size_t columns__encode(struct columns *c, enum row_kind kind, const void *rows, uint32_t count,
		       uint64_t unit, uint8_t *payload, struct payload_cuts *cuts);

/* The span of time of the rows that were encoded last; as columns_time_span(), without looking at rows. */
void columns__span(const struct columns *c, enum row_kind kind, uint32_t count, uint64_t *first_ns,
		   uint64_t *last_ns);

/* Fills `count` rows. 0; -EBADMSG and *reason (static storage) when the payload is not valid. */
int columns__decode(struct columns *c, enum row_kind kind, const uint8_t *payload, size_t bytes,
		    void *rows, uint32_t count, const char **reason);

/* The span of time of rows: first is the smallest time seen, last the largest; both 0: none. */
void columns_time_span(enum row_kind kind, const void *rows, uint32_t count, uint64_t *first_ns,
		       uint64_t *last_ns);

#endif
