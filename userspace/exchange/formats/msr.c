// SPDX-License-Identifier: MIT
/* MSR Cambridge: Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime; no header. */
#include <stdlib.h>

#include "exchange/foreign.h"

/* "HOST_NUMBER", as in the literature. */
#define NAME_BYTES 256

struct record {
	uint64_t ticks, offset_bytes, bytes;
	struct text host, disk;
	bool is_write;
};

/* Parses the fields before the response time. NULL, or the error. */
static const char *parse(const char **at, const char *end, struct record *r)
{
	struct text type;

	if (!field_number(at, end, &r->ticks) || !field_separator(at, end, ','))
		return "no timestamp";
	r->host = field_text(at, end, ',');
	r->disk = field_text(at, end, ',');
	if (!r->host.bytes || !r->disk.bytes || r->host.bytes + r->disk.bytes + 1 > NAME_BYTES)
		return "no host and disk";
	type = field_text(at, end, ',');
	r->is_write = text_is(type, "Write");
	if (!r->is_write && !text_is(type, "Read"))
		return "the type is neither Read nor Write";
	if (!field_number(at, end, &r->offset_bytes) || !field_separator(at, end, ','))
		return "no offset";
	if (!field_number(at, end, &r->bytes) || !field_separator(at, end, ','))
		return "no size";
	return NULL;
}

static bool is_record(const char *at, const char *end)
{
	struct record r;
	uint64_t unix_ns;

	return !parse(&at, end, &r) && foreign_filetime(r.ticks, &unix_ns);
}

static bool recognise(const char *head, size_t bytes)
{
	return foreign_lines_are(head, bytes, is_record);
}

static uint32_t device(struct foreign_source *s, const struct record *r)
{
	char name[NAME_BYTES];

	memcpy(name, r->host.at, r->host.bytes);
	name[r->host.bytes] = '_';
	memcpy(name + r->host.bytes + 1, r->disk.at, r->disk.bytes);
	return foreign_names__device(s->names,
				     (struct text){name, r->host.bytes + 1 + r->disk.bytes}, 0, 0);
}

/* In ticks; some of the volumes hold negative ones. */
static bool response(const char *at, const char *end, uint64_t *response_ns)
{
	bool is_negative = at < end && *at == '-';
	uint64_t ticks;

	at += is_negative;
	if (!field_number(&at, end, &ticks) || !field_end(&at, end))
		return false;
	*response_ns = is_negative || ticks > UINT64_MAX / FILETIME_TICK_NS
			       ? UINT64_MAX
			       : ticks * FILETIME_TICK_NS;
	return true;
}

static int line(struct foreign_source *s, const char *at, const char *end, struct io_row *row)
{
	struct record r;
	uint64_t time_ns, response_ns;
	const char *wrong;
	int result;

	if (foreign_is_header(s, at, end))
		return FOREIGN_NOTHING;
	wrong = parse(&at, end, &r);
	if (wrong)
		return foreign_bad_line(s, wrong);
	if (!response(at, end, &response_ns))
		return foreign_bad_line(s, "no response time");
	if (!foreign_filetime(r.ticks, &time_ns))
		return foreign_bad_line(s, "the timestamp is no Windows time after 1970");
	if (!foreign_place(row, r.offset_bytes, r.bytes))
		return foreign_bad_line(s, "the address is out of range");
	result = foreign_finish_data(s, row, time_ns, r.is_write);
	if (result != FOREIGN_ROW)
		return result;
	foreign_respond(s, row, response_ns);
	row->device = device(s, &r);
	return FOREIGN_ROW;
}

/* Host and disk number of a name: "hm_0" is hm,0; a name without a number is disk 0. */
static void print_device(struct foreign_output *o, const char *name)
{
	const char *mark = strrchr(name, '_');
	char host[TRACE_NAME_MAX];

	if (!mark || mark == name || !mark[1] || mark[1 + strspn(mark + 1, "0123456789")]) {
		put_name(o, name, ",");
		put_text(o, ",0");
		return;
	}
	memcpy(host, name, (size_t)(mark - name));
	host[mark - name] = '\0';
	put_name(o, host, ",");
	put_char(o, ',');
	put_text(o, mark + 1);
}

static bool print(struct foreign_output *o, const struct io_row *row)
{
	uint64_t time_ns = foreign_output__unix_ns(o, foreign_row_time_ns(row));

	if (!foreign_row_moves_sectors(row))
		return false;
	put_number(o, time_ns / FILETIME_TICK_NS + FILETIME_1970);
	put_char(o, ',');
	print_device(o, foreign_output__device_name(o, row->device));
	put_text(o, row->op == IO_OP_READ ? ",Read," : ",Write,");
	put_number(o, row->sector * SECTOR_BYTES);
	put_char(o, ',');
	put_number(o, row->bytes);
	put_char(o, ',');
	put_number(o, foreign_row_latency_ns(row) / FILETIME_TICK_NS);
	put_char(o, '\n');
	return true;
}

const struct foreign_format format_msr = {
	.name = "msr",
	.title = "MSR Cambridge: time,host,disk,type,offset,size,response",
	.clock = FOREIGN_CLOCK_UNIX,
	.tick_ns = FILETIME_TICK_NS,
	.recognise = recognise,
	.line = line,
	.print = print,
};
