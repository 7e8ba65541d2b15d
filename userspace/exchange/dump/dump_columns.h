/* SPDX-License-Identifier: MIT */
/* The columns of what 'blkreel dump --format csv' prints of io rows, and a row out of their texts. */
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
	COLUMN_COUNT, /* what follows from the others, or is not known */
};

/* As the header has them. */
extern const char *const dump_column_names[COLUMN_COUNT];

/* The name of each flag by its bit. */
struct dump_flag_names {
	char text[DUMP_FLAG_BITS][IO_FLAGS_TEXT_MAX];
};

void dump_flag_names__init(struct dump_flag_names *names);

/*
 * Fills a zeroed row with everything but what names stand for. `fields` are the texts by column;
 * those that are not there are empty. NULL, or what is wrong (static storage).
 */
const char *dump_columns__to_row(const struct text *fields, const struct dump_flag_names *names,
				 struct io_row *row);

/* A number that is all of the text, at most `max`. */
bool dump_columns__number(struct text text, uint64_t max, uint64_t *value);

#endif
