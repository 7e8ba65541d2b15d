/* SPDX-License-Identifier: MIT */
/*
 * Encodes rows of one kind as the payload of a row block, and decodes them. The payload is a
 * directory of columns, then the columns.
 */
#ifndef BLKREEL_TRACE_COLUMNS_COLUMNS_H
#define BLKREEL_TRACE_COLUMNS_COLUMNS_H

#include <stddef.h>

#include "trace/format.h"

/* Working memory for encoding or decoding, reused from block to block. */
struct columns;

struct columns *columns__new(void); /* NULL: no memory */
void columns__free(struct columns *c);

/*
 * From now on the best transform and coding of a column of io rows is reused for some further
 * blocks, as long as its cost does not rise. Trying all of them takes a third of the time, too much
 * for a live recording.
 */
void columns__reuse_choices(struct columns *c);

/* Bytes of one row in memory, and the largest payload of a full block of them. */
size_t columns_row_size(enum row_kind kind);
size_t columns_row_size_max(void); /* of any kind */
size_t columns_payload_max(enum row_kind kind);

/*
 * Encodes `count` (1 to TRACE_BLOCK_ROWS_MAX) rows into `payload`, which holds
 * columns_payload_max(kind) bytes. All times are multiples of `unit` ns (0 or 1: unknown). Returns
 * the bytes written and fills *cuts.
 */
size_t columns__encode(struct columns *c, enum row_kind kind, const void *rows, uint32_t count,
		       uint64_t unit, uint8_t *payload, struct payload_cuts *cuts);

/* The time span of the rows that were encoded last. As columns_time_span(), but faster. */
void columns__span(const struct columns *c, enum row_kind kind, uint32_t count, uint64_t *first_ns,
		   uint64_t *last_ns);

/* Fills `count` rows. 0; -EBADMSG with *reason (static storage): the payload is not valid. */
int columns__decode(struct columns *c, enum row_kind kind, const uint8_t *payload, size_t bytes,
		    void *rows, uint32_t count, const char **reason);

/* The smallest and the largest time seen in the rows; both 0: no time was seen. */
void columns_time_span(enum row_kind kind, const void *rows, uint32_t count, uint64_t *first_ns,
		       uint64_t *last_ns);

#endif
