// SPDX-License-Identifier: MIT
/* Functions that the readers of all foreign formats share. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "exchange/foreign.h"

#define RECOGNISED_LINES_MAX 16
/* After this many bad records before a good one the file is of another format. */
#define BAD_RECORDS_MAX 1000u

/* Where the record that was just read is. */
static void name_place(const struct byte_source *file, char where[FOREIGN_REASON_MAX])
{
	if (byte_source__line_number(file))
		snprintf(where, FOREIGN_REASON_MAX, "%.80s, line %llu", byte_source__name(file),
			 (unsigned long long)byte_source__line_number(file));
	else
		snprintf(where, FOREIGN_REASON_MAX, "%.80s, before byte %llu",
			 byte_source__name(file), (unsigned long long)byte_source__offset(file));
}

int foreign_bad(struct foreign_source *s, const struct byte_source *file, const char *reason)
{
	struct foreign_report *report = s->report;

	if (report->bad_records++)
		return FOREIGN_NOTHING;
	snprintf(report->bad_reason, sizeof(report->bad_reason), "%s", reason);
	name_place(file, report->bad_where);
	return FOREIGN_NOTHING;
}

/* " ('TEXT')", without control characters; "" of an empty text. */
static void copy_quoted(char *to, size_t size, struct text text)
{
	if (!text.bytes)
		return;
	snprintf(to, size, " ('%.*s')", (int)(text.bytes < size - 6 ? text.bytes : size - 6),
		 text.at);
	for (; *to; to++)
		if ((unsigned char)*to < ' ' || *to == 0x7f)
			*to = '_';
}

int foreign_bad_line(struct foreign_source *s, const char *reason)
{
	return foreign_bad(s, s->files[0], reason);
}

int foreign_leave_out(struct foreign_source *s, enum foreign_left_out why)
{
	s->report->left_out[why]++;
	return FOREIGN_NOTHING;
}

/* Writes the digits of a number before `end` and returns their start. */
static char *digits_before(char *end, uint64_t number)
{
	do {
		*--end = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return end;
}

uint32_t foreign_numbered_device(struct foreign_source *s, const char *prefix, uint64_t number)
{
	char name[TRACE_NAME_MAX], *end = name + sizeof(name);
	char *at = digits_before(end, number);
	size_t prefix_bytes = strlen(prefix);

	at -= prefix_bytes;
	memcpy(at, prefix, prefix_bytes);
	return foreign_names__device(s->names, (struct text){at, (size_t)(end - at)}, 0, 0);
}

uint32_t foreign_default_device(struct foreign_source *s)
{
	const char *name = s->options->device;

	if (s->default_device)
		return s->default_device;
	if (name) {
		s->default_device =
			foreign_names__device(s->names, (struct text){name, strlen(name)}, 0, 0);
		return s->default_device;
	}
	if (s->sources > 1)
		foreign_note(s, "the inputs name no devices: they became disk1, disk2 ... in their "
				"order; --device NAME takes them for parts of one device");
	s->default_device = foreign_numbered_device(s, "disk", s->number + 1ull);
	return s->default_device;
}

struct text foreign_join_numbers(char *name, uint32_t major, uint32_t minor)
{
	char *end = name + 24, *at = digits_before(end, minor);

	*--at = ':';
	at = digits_before(at, major);
	return (struct text){at, (size_t)(end - at)};
}

int foreign_next_fixed(struct foreign_source *s, size_t record_bytes,
		       int (*parse)(struct foreign_source *s, const uint8_t *at,
				    struct io_row *row),
		       struct io_row *row)
{
	struct byte_source *file = s->files[0];
	const uint8_t *at;

	while ((at = byte_source__take(file, record_bytes))) {
		int result = parse(s, at, row);

		if (result != FOREIGN_NOTHING)
			return result;
		if (foreign_is_hopeless(s))
			return -EINVAL;
		memset(row, 0, sizeof(*row));
	}
	if (byte_source__error(file))
		return byte_source__error(file);
	return byte_source__left_over(file) ? -EBADMSG : FOREIGN_END;
}

bool foreign_is_hopeless(const struct foreign_source *s)
{
	return !foreign_names__devices(s->names) && s->report->bad_records > BAD_RECORDS_MAX;
}

bool foreign_place(struct io_row *row, uint64_t offset_bytes, uint64_t bytes)
{
	uint64_t end_bytes = offset_bytes + bytes;

	if (offset_bytes > FOREIGN_SECTOR_MAX * SECTOR_BYTES || bytes > FOREIGN_BYTES_MAX)
		return false;
	row->sector = offset_bytes / SECTOR_BYTES;
	row->bytes = (end_bytes + SECTOR_BYTES - 1) / SECTOR_BYTES * SECTOR_BYTES -
		     row->sector * SECTOR_BYTES;
	return true;
}

bool foreign_place_sectors(struct io_row *row, uint64_t sector, uint64_t sectors)
{
	if (sector > FOREIGN_SECTOR_MAX || sectors > FOREIGN_BYTES_MAX / SECTOR_BYTES)
		return false;
	row->sector = sector;
	row->bytes = sectors * SECTOR_BYTES;
	return true;
}

void foreign_note(struct foreign_source *s, const char *note)
{
	struct foreign_report *report = s->report;

	for (unsigned int i = 0; i < report->note_count; i++)
		if (!strncmp(report->notes[i], note, FOREIGN_NOTE_BYTES - 1))
			return;
	if (report->note_count < FOREIGN_NOTES_MAX)
		snprintf(report->notes[report->note_count++], FOREIGN_NOTE_BYTES, "%s", note);
}

void foreign_no_response(struct foreign_source *s, struct text found)
{
	struct foreign_report *report = s->report;

	if (report->without_response++)
		return;
	name_place(s->files[0], report->response_where);
	copy_quoted(report->response_found, sizeof(report->response_found), found);
}

void foreign_respond(struct foreign_source *s, struct io_row *row, uint64_t response_ns)
{
	if (response_ns && response_ns <= FOREIGN_RESPONSE_MAX_NS)
		row->completed_ns = row->created_ns + response_ns;
	else
		foreign_no_response(s, (struct text){"", 0});
}

bool foreign_is_header(const struct foreign_source *s, const char *at, const char *end)
{
	return byte_source__line_number(s->files[0]) == 1 && at < end &&
	       ((*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z'));
}

int foreign_finish_data(struct foreign_source *s, struct io_row *row, uint64_t time_ns,
			bool is_write)
{
	if (time_ns > FOREIGN_TIME_MAX_NS)
		return foreign_bad_line(s, "the time is out of range");
	if (!row->bytes)
		return foreign_leave_out(s, LEFT_OUT_NO_DATA);
	row->created_ns = foreign_time(time_ns);
	row->op = is_write ? IO_OP_WRITE : IO_OP_READ;
	return FOREIGN_ROW;
}

int foreign_record_line(struct foreign_source *s, const char *at, const char *end,
			const char *(*parse)(const char *at, const char *end,
					     struct foreign_record *r),
			const char *device_prefix, struct io_row *row)
{
	struct foreign_record r;
	const char *wrong;
	int result;

	if (foreign_is_header(s, at, end))
		return FOREIGN_NOTHING;
	wrong = parse(at, end, &r);
	if (wrong)
		return foreign_bad_line(s, wrong);
	if (!foreign_place(row, r.offset_bytes, r.bytes))
		return foreign_bad_line(s, "the address is out of range");
	result = foreign_finish_data(s, row, r.time_ns, r.is_write);
	if (result == FOREIGN_ROW)
		row->device = foreign_numbered_device(s, device_prefix, r.device);
	return result;
}

bool foreign_lines_are(const char *head, size_t bytes,
		       bool (*is_record)(const char *at, const char *end))
{
	const char *at = head, *end = head + bytes;
	unsigned int lines = 0;

	while (at < end && lines < RECOGNISED_LINES_MAX) {
		const char *feed = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = feed ? feed : end;

		/* The head may cut the last line; a file that ends there is whole. */
		if (!feed && bytes >= BYTE_SOURCE_PEEK_MAX)
			break;
		line_end -= line_end > at && line_end[-1] == '\r';
		if (!is_record(at, line_end))
			return false;
		lines++;
		at = feed ? feed + 1 : end;
	}
	return lines > 0;
}

bool foreign_filetime(uint64_t ticks, uint64_t *unix_ns)
{
	if (ticks < FILETIME_1970 || ticks - FILETIME_1970 > FOREIGN_TIME_MAX_NS / FILETIME_TICK_NS)
		return false;
	*unix_ns = (ticks - FILETIME_1970) * FILETIME_TICK_NS;
	return true;
}
