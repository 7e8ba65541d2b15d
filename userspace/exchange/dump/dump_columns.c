// SPDX-License-Identifier: MIT
#include "exchange/dump/dump_columns.h"

#include "base/ioprio.h"

const char *const dump_column_names[COLUMN_COUNT] = {
	[COLUMN_TIME] = "time_s",
	[COLUMN_DEVICE] = "device",
	[COLUMN_OP] = "op",
	[COLUMN_SECTOR] = "sector",
	[COLUMN_BYTES] = "bytes",
	[COLUMN_FLAGS] = "flags",
	[COLUMN_ORIGIN] = "origin",
	[COLUMN_COMM] = "comm",
	[COLUMN_PID] = "pid",
	[COLUMN_FILE] = "file",
	[COLUMN_CGROUP] = "cgroup",
	[COLUMN_CPU] = "cpu",
	[COLUMN_DEPTH] = "depth",
	[COLUMN_MERGES] = "merges",
	[COLUMN_ERROR] = "error",
	[COLUMN_CREATED] = "created_ns",
	[COLUMN_ISSUED] = "issued_ns",
	[COLUMN_COMPLETED] = "completed_ns",
	[COLUMN_INSERTED] = "inserted_ns",
	[COLUMN_ID] = "id",
	[COLUMN_PARENT] = "parent_id",
	[COLUMN_IOPRIO] = "ioprio",
};

void dump_flag_names__init(struct dump_flag_names *names)
{
	for (unsigned int bit = 0; bit < DUMP_FLAG_BITS; bit++)
		io_flags_text(1u << bit, names->text[bit]);
}

bool dump_columns__number(struct text text, uint64_t max, uint64_t *value)
{
	const char *at = text.at, *end = text.at + text.bytes;

	return field_number(&at, end, value) && at == end && *value <= max;
}

/* A number; 0 if it is missing. */
static bool number_if_there(struct text text, uint64_t max, uint64_t *value)
{
	*value = 0;
	return !text.bytes || dump_columns__number(text, max, value);
}

static bool parse_error(struct text text, int32_t *error)
{
	bool is_negative = text.bytes && *text.at == '-';
	uint64_t value;

	if (is_negative)
		text = (struct text){text.at + 1, text.bytes - 1};
	if (!number_if_there(text, INT32_MAX, &value))
		return false;
	*error = is_negative ? -(int32_t)value : (int32_t)value;
	return true;
}

static bool parse_flags(const struct dump_flag_names *names, struct text text, uint32_t *flags)
{
	const char *at = text.at, *end = text.at + text.bytes;

	while (at < end) {
		struct text word = field_text(&at, end, '|');
		unsigned int bit = 0;

		while (bit < DUMP_FLAG_BITS && !text_is(word, names->text[bit]))
			bit++;
		if (bit == DUMP_FLAG_BITS || !word.bytes)
			return false;
		*flags |= 1u << bit;
	}
	return true;
}

static bool parse_op(struct text text, uint8_t *op)
{
	for (unsigned int i = 0; i < IO_OP_COUNT; i++) {
		if (!text_is(text, io_op_name((enum io_op)i)))
			continue;
		*op = (uint8_t)i;
		return true;
	}
	return false;
}

static bool parse_origin(struct text text, uint8_t *origin)
{
	for (unsigned int i = 0; i < IO_ORIGIN_COUNT; i++) {
		if (!text_is(text, io_origin_name((enum io_origin)i)))
			continue;
		*origin = (uint8_t)i;
		return true;
	}
	return !text.bytes;
}

static const char *parse_numbers(const struct text *f, struct io_row *row)
{
	uint64_t cpu, depth, merges;

	if (!dump_columns__number(f[COLUMN_SECTOR], UINT64_MAX, &row->sector) ||
	    !dump_columns__number(f[COLUMN_BYTES], UINT64_MAX, &row->bytes))
		return "no sector and bytes";
	if (!number_if_there(f[COLUMN_CREATED], UINT64_MAX, &row->created_ns) ||
	    !number_if_there(f[COLUMN_ISSUED], UINT64_MAX, &row->issued_ns) ||
	    !number_if_there(f[COLUMN_COMPLETED], UINT64_MAX, &row->completed_ns) ||
	    !number_if_there(f[COLUMN_INSERTED], UINT64_MAX, &row->inserted_ns))
		return "a time is no number";
	if (!number_if_there(f[COLUMN_ID], UINT64_MAX, &row->id) ||
	    !number_if_there(f[COLUMN_PARENT], UINT64_MAX, &row->parent_id))
		return "id or parent_id is no number";
	if (!number_if_there(f[COLUMN_CPU], UINT16_MAX, &cpu) ||
	    !number_if_there(f[COLUMN_DEPTH], UINT32_MAX, &depth) ||
	    !number_if_there(f[COLUMN_MERGES], UINT32_MAX, &merges) ||
	    !parse_error(f[COLUMN_ERROR], &row->error))
		return "cpu, depth, merges or error is no number";
	if (!ioprio_from_text(f[COLUMN_IOPRIO].at, f[COLUMN_IOPRIO].bytes, &row->ioprio))
		return "ioprio is no class and level, such as be/4";
	row->cpu = (uint16_t)cpu;
	row->depth = (uint32_t)depth;
	row->merges = (uint32_t)merges;
	return NULL;
}

const char *dump_columns__to_row(const struct text *fields, const struct dump_flag_names *names,
				 struct io_row *row)
{
	if (!parse_op(fields[COLUMN_OP], &row->op))
		return "the operation is not known";
	if (!parse_flags(names, fields[COLUMN_FLAGS], &row->flags) ||
	    !parse_origin(fields[COLUMN_ORIGIN], &row->origin))
		return "a flag or the origin is not known";
	return parse_numbers(fields, row);
}
