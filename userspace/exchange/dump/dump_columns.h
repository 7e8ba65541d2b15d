/* SPDX-License-Identifier: MIT */
/*
 * The columns of io rows in 'blkreel dump --format csv', and how to parse a row from their texts.
 */
#ifndef BLKREEL_EXCHANGE_DUMP_DUMP_COLUMNS_H
#define BLKREEL_EXCHANGE_DUMP_DUMP_COLUMNS_H

#include "exchange/input/field.h"
#include "trace/rows.h"

#define DUMP_FLAG_BITS 32

enum dump_column {
	COLUMN_TIME = 0,
	COLUMN_DEVICE,
	COLUMN_OP,
	COLUMN_SECTOR,
	COLUMN_BYTES,
	COLUMN_FLAGS,
	COLUMN_ORIGIN,
	COLUMN_COMM,
	COLUMN_PID,
	COLUMN_FILE,
	COLUMN_CGROUP,
	COLUMN_CPU,
	COLUMN_DEPTH,
	COLUMN_MERGES,
	COLUMN_ERROR,
	COLUMN_CREATED,
	COLUMN_ISSUED,
	COLUMN_COMPLETED,
	COLUMN_INSERTED,
	COLUMN_ID,
	COLUMN_PARENT,
	COLUMN_IOPRIO,
	COLUMN_COUNT, /* a derived or unknown column */
};

/* As in the header. */
extern const char *const dump_column_names[COLUMN_COUNT];

/* The name of each flag, by bit. */
struct dump_flag_names {
	char text[DUMP_FLAG_BITS][IO_FLAGS_TEXT_MAX];
};

/* Fills the names of all flags. */
void dump_flag_names__init(struct dump_flag_names *names);

/*
 * Fills a zeroed row with all fields but the ids of names. `fields` are the texts by column;
 * missing ones are empty. NULL, or the reason for refusal (static storage).
 */
const char *dump_columns__to_row(const struct text *fields, const struct dump_flag_names *names,
				 struct io_row *row);

/* Parses a text that is one number, at most `max`. */
bool dump_columns__number(struct text text, uint64_t max, uint64_t *value);

#endif
