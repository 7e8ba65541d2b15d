/* SPDX-License-Identifier: MIT */
/* Which column of a row block holds which field: docs/trace-format.md, "Columns". */
#ifndef BLKREEL_TRACE_COLUMNS_DEFINITIONS_H
#define BLKREEL_TRACE_COLUMNS_DEFINITIONS_H

#include "trace/format.h"

enum column_role {
	ROLE_VALUE, /* a number or id */
	ROLE_ERROR, /* signed, 32 bits */
	ROLE_TIME,
	ROLE_SINCE, /* a time that follows another time of the same row */
	ROLE_SECTOR,
};

#define COLUMN_NONE 0xffff

struct column_definition {
	uint8_t id; /* never reused */
	uint8_t role;
	uint16_t offset;     /* in the row struct */
	uint16_t bytes;	     /* of the field */
	uint16_t since;	     /* ROLE_SINCE: offset of the other time ... */
	uint16_t else_since; /* ... and of the time to use where that is 0, or COLUMN_NONE */
	uint32_t limit;	     /* values from here on are refused; 0: the field's own limit */
};

/* The columns of one kind of rows. */
struct column_table {
	const struct column_definition *columns;
	unsigned int count;
	size_t row_bytes;
};

#define COLUMN_ID_MAX 63
#define COLUMNS_MAX   32 /* of a table: a set of columns is a 32-bit mask */

/* Static storage. */
const struct column_table *column_table(enum row_kind kind);

#endif
