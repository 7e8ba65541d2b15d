// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "exchange/formats/csv_columns.h"
#include "exchange/input/field.h"

struct unit {
	const char *name;
	uint64_t value;
};

static const struct unit time_units[] = {
	{"s", NSEC_PER_SEC}, {"ms", NSEC_PER_MSEC},	 {"us", NSEC_PER_USEC},
	{"ns", 1},	     {"filetime", CSV_FILETIME}, {NULL, 0},
};

static const struct unit size_units[] = {
	{"bytes", 1},
	{"sectors", SECTOR_BYTES},
	{NULL, 0},
};

static const struct unit op_units[] = {
	{"words", CSV_OP_WORDS},
	{"scsi", CSV_OP_SCSI},
	{"read0", CSV_OP_READ0},
	{"write0", CSV_OP_WRITE0},
	{NULL, 0},
};

/* `units` NULL: no unit. */
static const struct {
	const char *name;
	enum csv_column_kind kind;
	const struct unit *units;
	uint64_t usual;
} kinds[] = {
	{"-", CSV_SKIP, NULL, 0},
	{"time", CSV_TIME, time_units, NSEC_PER_SEC},
	{"op", CSV_OP, op_units, CSV_OP_WORDS},
	{"offset", CSV_OFFSET, size_units, 1},
	{"sector", CSV_OFFSET, NULL, SECTOR_BYTES},
	{"size", CSV_SIZE, size_units, 1},
	{"bytes", CSV_SIZE, NULL, 1},
	{"sectors", CSV_SIZE, NULL, SECTOR_BYTES},
	{"device", CSV_DEVICE, NULL, 0},
	{"latency", CSV_LATENCY, time_units, NSEC_PER_SEC},
	{"pid", CSV_PID, NULL, 0},
	{"comm", CSV_COMM, NULL, 0},
};

/* A name in the list or, for sizes, the bytes of a block. */
static bool parse_unit(struct text text, const struct unit *units, uint64_t *unit)
{
	const char *at = text.at, *end = text.at + text.bytes;

	for (; units && units->name; units++) {
		if (!text_is(text, units->name))
			continue;
		*unit = units->value;
		return true;
	}
	return field_number(&at, end, unit) && at == end && *unit >= 1 && *unit <= UINT32_MAX;
}

static const char *parse_column(struct text item, struct csv_column *column)
{
	const char *at = item.at, *end = item.at + item.bytes;
	struct text name = field_text(&at, end, ':');
	bool has_unit = name.bytes < item.bytes;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (text_is(name, kinds[i].name))
			break;
	if (i == sizeof(kinds) / sizeof(*kinds))
		return "--columns knows time, op, offset, size, device, latency, pid, comm and -";
	*column = (struct csv_column){kinds[i].kind, kinds[i].usual};
	if (!has_unit)
		return NULL;
	if (!kinds[i].units ||
	    !parse_unit((struct text){at, (size_t)(end - at)}, kinds[i].units, &column->unit) ||
	    (kinds[i].units == time_units && column->unit > NSEC_PER_SEC))
		return "--columns: units are s, ms, us, ns, filetime for times; bytes, sectors or "
		       "a number of bytes for offset and size; scsi, read0, write0 for op";
	return NULL;
}

static const char *check(const struct csv_columns *columns, bool has_op)
{
	if (columns->has[CSV_OP] && has_op)
		return "--op is for records without an operation: --columns names op";
	if (!columns->has[CSV_TIME] || !(columns->has[CSV_OP] || has_op) ||
	    !columns->has[CSV_OFFSET] || !columns->has[CSV_SIZE])
		return "--columns must name time, op (unless --op gives it), offset and size";
	for (unsigned int i = 0; i < columns->count; i++)
		if (columns->items[i].kind == CSV_LATENCY && columns->items[i].unit == CSV_FILETIME)
			return "--columns: a latency has a unit of s, ms, us or ns";
	if (columns->has[CSV_COMM] && !columns->has[CSV_PID])
		return "--columns: comm, the name of a process, needs pid, too";
	return NULL;
}

int csv_columns__parse(const char *list, bool has_op, struct csv_columns *columns,
		       const char **message)
{
	const char *at = list, *end = list ? list + strlen(list) : NULL;

	if (!list) {
		*message = "--columns is needed (the CSV of 'blkreel dump' is recognised without "
			   "--from)";
		return -EINVAL;
	}
	*columns = (struct csv_columns){0};
	*message = NULL;
	while (at < end && !*message) {
		struct csv_column *column = &columns->items[columns->count++];

		*message = parse_column(field_text(&at, end, ','), column);
		if (!*message && column->kind && columns->has[column->kind])
			*message = "--columns names a column twice";
		columns->has[column->kind] = true;
		if (columns->count == CSV_COLUMNS_MAX && at < end)
			*message = "--columns holds at most 64 columns";
	}
	if (!*message)
		*message = check(columns, has_op);
	return *message ? -EINVAL : 0;
}
