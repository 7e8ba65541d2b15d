// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "exchange/foreign_output.h"
#include "trace/format.h"
#include "trace/row_time.h"
#include "trace/file/writer.h"

#define BUFFER_BYTES (256u << 10)
/* Records are written in pieces smaller than this. */
#define PIECE_BYTES_MAX 4096u

/* The limit of device numbers, so that every format can hold them. */
#define NUMBERS_MAX (1u << 24)

struct foreign_output {
	FILE *out;
	const struct trace_reader *reader;
	uint64_t start_ns, start_wall_ns;
	void *state;
	uint64_t events_left_out;
	uint32_t numbers[TRACE_DEVICES_MAX + 1]; /* of the devices plus 1; 0: none yet */
	bool failed;
	size_t used;
	char buffer[BUFFER_BYTES];
};

struct foreign_output *foreign_output__new(FILE *out)
{
	struct foreign_output *o = malloc(sizeof(*o));

	if (!o)
		return NULL;
	memset(o, 0, offsetof(struct foreign_output, buffer));
	o->out = out;
	return o;
}

void foreign_output__free(struct foreign_output *o)
{
	if (!o)
		return;
	free(o->state);
	free(o);
}

void foreign_output__set_trace(struct foreign_output *o, const struct trace_reader *reader,
			       uint64_t start_ns, uint64_t start_wall_ns)
{
	if (o->reader != reader)
		memset(o->numbers, 0, sizeof(o->numbers));
	o->reader = reader;
	o->start_ns = start_ns;
	o->start_wall_ns = start_wall_ns;
}

uint64_t foreign_output__since_start_ns(const struct foreign_output *o, uint64_t time_ns)
{
	return time_ns > o->start_ns ? time_ns - o->start_ns : 0;
}

uint64_t foreign_output__unix_ns(const struct foreign_output *o, uint64_t time_ns)
{
	uint64_t unix_ns = o->start_wall_ns + (time_ns - o->start_ns);

	return (int64_t)unix_ns < 0 ? 0 : unix_ns;
}

unsigned int foreign_output__digits(const struct foreign_output *o)
{
	uint64_t resolution_ns = o->reader ? trace_reader__host(o->reader)->resolution_ns : 1;

	return resolution_ns && resolution_ns % NSEC_PER_USEC == 0 ? 6 : 9;
}

uint64_t foreign_row_time_ns(const struct io_row *row)
{
	return io_row_time_ns(row);
}

uint64_t foreign_row_latency_ns(const struct io_row *row)
{
	uint64_t from_ns = foreign_row_time_ns(row);

	return row->completed_ns > from_ns ? row->completed_ns - from_ns : 0;
}

bool foreign_row_moves_sectors(const struct io_row *row)
{
	return (row->op == IO_OP_READ || row->op == IO_OP_WRITE) && row->bytes &&
	       row->bytes % SECTOR_BYTES == 0;
}

const struct trace_device *foreign_output__device(const struct foreign_output *o, uint32_t id)
{
	return o->reader ? trace_reader__device(o->reader, id) : NULL;
}

const char *foreign_output__device_name(const struct foreign_output *o, uint32_t id)
{
	const struct trace_device *device = foreign_output__device(o, id);

	return device && *device->name ? device->name : "disk1";
}

const struct trace_task *foreign_output__task(const struct foreign_output *o, uint32_t id)
{
	return o->reader ? trace_reader__task(o->reader, id) : NULL;
}

/* The number of a name that consists of the prefix and digits. */
static bool number_in_name(const char *name, const char *prefix, uint32_t *number)
{
	size_t prefix_bytes = strlen(prefix);
	const char *at = name + prefix_bytes, *end = name + strlen(name);

	return !strncmp(name, prefix, prefix_bytes) && field_number32(&at, end, number) &&
	       at == end && *number < NUMBERS_MAX;
}

static bool number_is_taken(const struct foreign_output *o, uint32_t number)
{
	for (uint32_t id = 0; id <= TRACE_DEVICES_MAX; id++)
		if (o->numbers[id] == number + 1)
			return true;
	return false;
}

uint32_t foreign_output__device_number(struct foreign_output *o, uint32_t id, const char *prefix)
{
	uint32_t number;

	if (id > TRACE_DEVICES_MAX)
		id = 0;
	if (o->numbers[id])
		return o->numbers[id] - 1;
	if (!number_in_name(foreign_output__device_name(o, id), prefix, &number))
		number = id;
	while (number_is_taken(o, number))
		number = (number + 1) % NUMBERS_MAX;
	o->numbers[id] = number + 1;
	return number;
}

void *foreign_output__state(struct foreign_output *o, size_t bytes)
{
	if (!o->state)
		o->state = calloc(1, bytes);
	return o->state;
}

void foreign_output__leave_out_event(struct foreign_output *o)
{
	o->events_left_out++;
}

uint64_t foreign_output__events_left_out(const struct foreign_output *o)
{
	return o->events_left_out;
}

int foreign_output__flush(struct foreign_output *o)
{
	if (fwrite(o->buffer, 1, o->used, o->out) != o->used)
		o->failed = true;
	o->used = 0;
	return o->failed ? -EIO : 0;
}

static char *reserve(struct foreign_output *o, size_t bytes)
{
	if (BUFFER_BYTES - o->used < bytes)
		foreign_output__flush(o);
	return o->buffer + o->used;
}

void put_bytes(struct foreign_output *o, const void *bytes, size_t count)
{
	const char *at = bytes;

	while (count) {
		size_t piece = count < PIECE_BYTES_MAX ? count : PIECE_BYTES_MAX;

		memcpy(reserve(o, piece), at, piece);
		o->used += piece;
		at += piece;
		count -= piece;
	}
}

void put_text(struct foreign_output *o, const char *text)
{
	put_bytes(o, text, strlen(text));
}

void put_name(struct foreign_output *o, const char *name, const char *separators)
{
	for (; *name; name++) {
		bool breaks = (unsigned char)*name <= ' ' || strchr(separators, *name);

		put_char(o, breaks ? '_' : *name);
	}
}

void put_char(struct foreign_output *o, char c)
{
	*reserve(o, 1) = c;
	o->used++;
}

/* Writes at least `digits` digits. */
static void put_digits(struct foreign_output *o, uint64_t value, unsigned int digits)
{
	char text[24], *start = text + sizeof(text);

	do {
		*--start = (char)('0' + value % 10);
		value /= 10;
	} while (value || start > text + sizeof(text) - digits);
	put_bytes(o, start, (size_t)(text + sizeof(text) - start));
}

void put_number(struct foreign_output *o, uint64_t value)
{
	put_digits(o, value, 1);
}

void put_decimal(struct foreign_output *o, uint64_t time_ns, uint64_t unit_ns, unsigned int digits)
{
	uint64_t fraction_ns = time_ns % unit_ns, step_ns = unit_ns;

	put_number(o, time_ns / unit_ns);
	if (!digits)
		return;
	put_char(o, '.');
	for (unsigned int i = 0; i < digits; i++)
		step_ns = step_ns > 1 ? step_ns / 10 : 1;
	put_digits(o, fraction_ns / step_ns, digits);
}
