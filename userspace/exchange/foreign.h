/* SPDX-License-Identifier: MIT */
/*
 * The interface of a foreign trace format: how to recognise it, how to convert its records to io
 * rows and, if the format can hold them, io rows to its records. Each format has a file in
 * formats/; formats.c lists them. docs/formats.md describes each with its traps.
 */
#ifndef BLKREEL_EXCHANGE_FOREIGN_H
#define BLKREEL_EXCHANGE_FOREIGN_H

#include <stdbool.h>

#include "base/units.h"
#include "exchange/input/byte_source.h"
#include "exchange/input/field.h"
#include "exchange/foreign_names.h"
#include "exchange/foreign_output.h"
#include "trace/rows.h"

/* The origin of foreign times. */
enum foreign_clock {
	FOREIGN_CLOCK_START, /* the start of the trace, see FOREIGN_LEAD_MAX_NS */
	FOREIGN_CLOCK_UNIX,  /* 1970 */
	FOREIGN_CLOCK_ANY, /* times after the year 2000 are Unix times, others of an unknown clock */
};

/*
 * Row times are foreign times (in ns) plus this, because 0 means "not seen" in a row and a row may
 * begin a little before the first one.
 */
#define FOREIGN_ORIGIN_NS NSEC_PER_SEC

/*
 * A first IO that is later counts from another start: a part of a trace, or a clock. The trace then
 * begins with it, or the time before would count as idle.
 */
#define FOREIGN_LEAD_MAX_NS NSEC_PER_SEC

/* Why a well-formed record becomes no row. */
enum foreign_left_out {
	LEFT_OUT_NO_REPLY, /* the operation is blank: the tracer saw no reply */
	LEFT_OUT_NOT_IO,   /* another command or event */
	LEFT_OUT_NO_DATA,  /* of zero length, which has no meaning there */
	LEFT_OUT_LOWER,	   /* of a device below another one in the trace */
	LEFT_OUT_COUNT
};

#define FOREIGN_REASON_MAX  128
#define FOREIGN_FOUND_BYTES 32
#define FOREIGN_NOTES_MAX   8
#define FOREIGN_NOTE_BYTES  320

/* Counts and notes, reported at the end. */
struct foreign_report {
	uint64_t left_out[LEFT_OUT_COUNT];
	uint64_t bad_records;
	/* The first bad one: */
	char bad_where[FOREIGN_REASON_MAX]; /* file and line, or byte */
	char bad_reason[FOREIGN_REASON_MAX];
	uint64_t without_response; /* rows whose response time is not plausible */
	/* The first of these: */
	char response_where[FOREIGN_REASON_MAX];
	char response_found[FOREIGN_FOUND_BYTES]; /* " ('TEXT')" or "" */
	uint64_t in_flight; /* IOs without a completion at the end; their rows are kept */
	char notes[FOREIGN_NOTES_MAX][FOREIGN_NOTE_BYTES]; /* see foreign_note() */
	unsigned int note_count;
	/* The row time at which the recording began; 0: the input does not tell. */
	uint64_t start_ns;
	uint64_t start_wall_ns; /* Unix time at start_ns; 0: not known */
};

/* Options for properties that a format does not hold. */
struct foreign_options {
	const char *columns;   /* csv: "time:us,op,offset,bytes"; NULL: not given */
	char delimiter;	       /* csv; 0: not given */
	uint64_t skip_lines;   /* csv: before the first record */
	const char *op;	       /* csv: of every record, as in a column; NULL: a column has it */
	uint64_t time_unit_ns; /* fio-iolog: of its times; 0: a microsecond */
	const char *device;    /* name if the format has none; NULL: "disk1", "disk2" ... */
	bool one_layer; /* of stacked devices that were traced on both levels keep the upper one */
};

/* One stream of records: a file, or all files of a format that keeps one stream in several. */
struct foreign_source {
	const struct foreign_format *format;
	const struct foreign_options *options;
	struct byte_source **files;
	unsigned int file_count;
	unsigned int number, sources; /* which of how many, from 0 */
	uint32_t default_device;      /* see foreign_default_device(); 0: not needed so far */
	struct foreign_names *names;
	struct foreign_report *report;
	void *state; /* format->state_bytes bytes, zeroed before begin() */
};

/* Results of next() and line(). A negative errno, which ends the import, is the third kind. */
enum foreign_result {
	FOREIGN_END = 0, /* next(): no more rows */
	FOREIGN_ROW = 1, /* *row is filled */
	FOREIGN_NOTHING =
		2, /* line(): a header, a comment, or a bad record that foreign_bad() counted */
};

struct foreign_format {
	const char *name;  /* as in --from: "msr" */
	const char *title; /* one line for --help */
	enum foreign_clock clock;
	uint64_t tick_ns;  /* times are multiples of this: the trace's resolution */
	bool grouped;	   /* all files are one stream (per-CPU files) */
	bool in_order;	   /* rows are in order of completion already */
	bool binary;	   /* print() writes binary data, not for a terminal */
	bool holds_events; /* holds events of the block layer, with flags and the kernel's flushes */
	bool one_device;   /* its records name no device */
	bool knows_layers; /* tells stacked devices apart itself: repeats are real IOs */
	size_t state_bytes;

	/* True when the first bytes identify the format. NULL: --from must name the format. */
	bool (*recognise)(const char *head, size_t bytes);

	/*
	 * 0 or negative errno; *message (static storage): what is wrong with the options. May be
	 * NULL.
	 */
	int (*begin)(struct foreign_source *s, const char **message);
	/* For text: converts a line to at most one row. enum foreign_result or negative errno. */
	int (*line)(struct foreign_source *s, const char *at, const char *end, struct io_row *row);
	/* For other formats: reads the next row. enum foreign_result or negative errno. */
	int (*next)(struct foreign_source *s, struct io_row *row);
	void (*finish)(struct foreign_source *s); /* frees the content of `state`; may be NULL */

	/*
	 * For the export; print() NULL: none, print_head() and print_end() may be NULL. print()
	 * returns true when the format can hold the row, which it then writes to `o`.
	 */
	void (*print_head)(struct foreign_output *o);
	bool (*print)(struct foreign_output *o, const struct io_row *row);
	void (*print_end)(struct foreign_output *o);
};

/* All formats, in the order of --help, then NULL. */
extern const struct foreign_format *const foreign_formats[];
const struct foreign_format *foreign_format_by_name(const char *name); /* NULL: none */
/* The format that recognises these first bytes; NULL: none, or more than one does. */
const struct foreign_format *foreign_format_by_content(const char *head, size_t bytes);

/* Counts a bad record and stores the place of the first. Returns FOREIGN_NOTHING. */
int foreign_bad(struct foreign_source *s, const struct byte_source *file, const char *reason);
/* The same for line(), which has one file. */
int foreign_bad_line(struct foreign_source *s, const char *reason);
/* True after many bad records without a good one: to read on would only take time. */
bool foreign_is_hopeless(const struct foreign_source *s);
/* Counts a record that is left out. Returns FOREIGN_NOTHING. */
int foreign_leave_out(struct foreign_source *s, enum foreign_left_out why);
/*
 * Adds a sentence to the notes, once however often it is called: it must not hold a growing count.
 */
void foreign_note(struct foreign_source *s, const char *note);
/* The device for formats without devices: each source is a disk of its own. */
uint32_t foreign_default_device(struct foreign_source *s);

/* The device "PREFIXNUMBER". */
uint32_t foreign_numbered_device(struct foreign_source *s, const char *prefix, uint64_t number);
/* "MAJOR:MINOR" in `name`, which holds at least 24 bytes. */
struct text foreign_join_numbers(char *name, uint32_t major, uint32_t minor);

/*
 * next() for records of one size (at most BYTE_SOURCE_PEEK_MAX): `parse` converts a record to a row
 * and returns as line() does. -EBADMSG: the file ends inside a record.
 */
int foreign_next_fixed(struct foreign_source *s, size_t record_bytes,
		       int (*parse)(struct foreign_source *s, const uint8_t *at,
				    struct io_row *row),
		       struct io_row *row);

/* Converts a foreign time, in ns, to a row time. */
static inline uint64_t foreign_time(uint64_t time_ns)
{
	return time_ns + FOREIGN_ORIGIN_NS;
}

/* The length of a tick of Windows times. */
#define FILETIME_TICK_NS 100ull
/* 1970 in these ticks. */
#define FILETIME_1970 116444736000000000ull

/* Larger times and lengths count as damage. */
#define FOREIGN_TIME_MAX_NS (1ull << 62)
#define FOREIGN_BYTES_MAX   (1ull << 48)
#define FOREIGN_SECTOR_MAX  (1ull << 54)
/* Larger response times, and 0, count as unknown. */
#define FOREIGN_RESPONSE_MAX_NS (3600 * NSEC_PER_SEC)

/*
 * Fills sector and bytes of a row from an address in bytes: rounds the start down and the end up to
 * 512. False: the numbers are out of range.
 */
bool foreign_place(struct io_row *row, uint64_t offset_bytes, uint64_t bytes);
/* The same from an address in sectors of 512 bytes. */
bool foreign_place_sectors(struct io_row *row, uint64_t sector, uint64_t sectors);

/* Counts a row without a plausible response time; `found`: the text that is no time, or "". */
void foreign_no_response(struct foreign_source *s, struct text found);

/* Sets the completion of a row from its created_ns, if the response time is plausible. */
void foreign_respond(struct foreign_source *s, struct io_row *row, uint64_t response_ns);

/*
 * True for a first line that begins with a letter: it holds column names, records begin with
 * digits.
 */
bool foreign_is_header(const struct foreign_source *s, const char *at, const char *end);

/* The common end of line() in text formats: fills a row with data, or counts a bad record. */
int foreign_finish_data(struct foreign_source *s, struct io_row *row, uint64_t time_ns,
			bool is_write);

/* A record of a text format with only these fields. */
struct foreign_record {
	uint64_t device; /* its number */
	uint64_t offset_bytes, bytes;
	uint64_t time_ns;
	bool is_write;
};

/*
 * line() of such a format: `parse` fills *r or returns the error. Devices are called
 * "PREFIXNUMBER".
 */
int foreign_record_line(struct foreign_source *s, const char *at, const char *end,
			const char *(*parse)(const char *at, const char *end,
					     struct foreign_record *r),
			const char *device_prefix, struct io_row *row);

/* For recognise(): whether `is_record` accepts each of the first lines (1 to 16 whole ones). */
bool foreign_lines_are(const char *head, size_t bytes,
		       bool (*is_record)(const char *at, const char *end));

/*
 * Converts ticks of 100 ns since 1601 to ns since 1970. False: before 1970 or beyond
 * FOREIGN_TIME_MAX_NS.
 */
bool foreign_filetime(uint64_t ticks, uint64_t *unix_ns);

#endif
