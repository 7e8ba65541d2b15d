/* SPDX-License-Identifier: MIT */
/* Parses --columns, the list of columns of a foreign CSV file. */
#ifndef BLKREEL_EXCHANGE_FORMATS_CSV_COLUMNS_H
#define BLKREEL_EXCHANGE_FORMATS_CSV_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "exchange/input/field.h"

#define CSV_COLUMNS_MAX 64

enum csv_column_kind {
	CSV_SKIP = 0, /* "-" */
	CSV_TIME,
	CSV_OP,
	CSV_OFFSET,
	CSV_SIZE,
	CSV_DEVICE,
	CSV_LATENCY,
	CSV_PID,
	CSV_COMM,
	CSV_KINDS
};

/* The notation of an operation. */
enum csv_op_unit {
	CSV_OP_WORDS = 0, /* read, R, write, W, flush, discard, trim ..., 0x28 */
	CSV_OP_SCSI,	  /* 28, 2a: hexadecimal without 0x */
	CSV_OP_READ0,	  /* 0 is a read, 1 a write */
	CSV_OP_WRITE0,	  /* 0 is a write, 1 a read */
};

/* The unit of a time in ticks of 100 ns since 1601. */
#define CSV_FILETIME 0

struct csv_column {
	enum csv_column_kind kind;
	uint64_t unit; /* ns of a time, bytes of an offset or size, enum csv_op_unit */
};

struct csv_columns {
	struct csv_column items[CSV_COLUMNS_MAX];
	unsigned int count;
	bool has[CSV_KINDS];
};

/*
 * Parses `list`; NULL is an error. `has_op`: the records have no column of the operation. 0; -EINVAL
 * with *message (static storage).
 */
int csv_columns__parse(const char *list, bool has_op, struct csv_columns *columns,
		       const char **message);

/* enum io_op of "read", "W", "flush", "trim" ...; -EINVAL: unknown. */
int csv_op_of_word(struct text word);

#endif
