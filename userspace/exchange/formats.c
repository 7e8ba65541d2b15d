#include <stdio.h>
#include <string.h>

#include "exchange/formats.h"

const struct foreign_format *const foreign_formats[] = {
	&format_blktrace,
	&format_blkparse,
	&format_blkreplay,
	NULL,
};

const struct foreign_format *foreign_format_by_name(const char *name)
{
	for (unsigned int i = 0; foreign_formats[i]; i++)
		if (!strcmp(foreign_formats[i]->name, name))
			return foreign_formats[i];
	return NULL;
}

const struct foreign_format *foreign_format_by_content(const char *head, size_t bytes)
{
	const struct foreign_format *found = NULL;

	for (unsigned int i = 0; foreign_formats[i]; i++) {
		if (!foreign_formats[i]->recognise || !foreign_formats[i]->recognise(head, bytes))
			continue;
		if (found)
			return NULL;
		found = foreign_formats[i];
	}
	return found;
}

int foreign_bad(struct foreign_source *s, const struct byte_source *file, const char *reason)
{
	struct foreign_report *report = s->report;

	if (report->bad_records++)
		return FOREIGN_NOTHING;
	snprintf(report->bad_reason, sizeof(report->bad_reason), "%s", reason);
	if (byte_source__line_number(file))
		snprintf(report->bad_where, sizeof(report->bad_where), "%.80s, line %llu",
			 byte_source__name(file),
			 (unsigned long long)byte_source__line_number(file));
	else
		snprintf(report->bad_where, sizeof(report->bad_where), "%.80s, before byte %llu",
			 byte_source__name(file), (unsigned long long)byte_source__offset(file));
	return FOREIGN_NOTHING;
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

uint32_t foreign_default_device(struct foreign_source *s)
{
	const char *name = s->options->device ? s->options->device : "disk1";

	return foreign_names__device(s->names, (struct text){name, strlen(name)}, 0, 0);
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
