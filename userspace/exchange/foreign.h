/* SPDX-License-Identifier: MIT */
/*
 * What a foreign trace format is to the rest: how it is recognised, how its records become io rows
 * and, where it can hold them, how io rows become its records. Each format has a file in formats/;
 * formats.c lists them. docs/formats.md describes each with its traps.
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

/* What foreign times count from. */
enum foreign_clock {
	FOREIGN_CLOCK_START, /* the start of the trace */
	FOREIGN_CLOCK_UNIX,  /* 1970 */
	FOREIGN_CLOCK_ANY, /* times after the year 2000 are Unix times, others of an unknown clock */
};

/*
 * Row times are foreign times (as ns) plus this, because 0 means "not seen" in a row and because a
 * row may lie a little before the first one.
 */
#define FOREIGN_ORIGIN_NS NSEC_PER_SEC

/* Records that are well formed and yet become no row. */
enum foreign_left_out {
	LEFT_OUT_NO_REPLY, /* the operation is blank: the tracer saw no answer */
	LEFT_OUT_NOT_IO,   /* another command or event */
	LEFT_OUT_NO_DATA,  /* of zero length, where that means nothing */
	LEFT_OUT_LOWER,	   /* of a device below another that is in the trace as well */
	LEFT_OUT_COUNT
};

#define FOREIGN_REASON_MAX 128
#define FOREIGN_NOTES_MAX  8
#define FOREIGN_NOTE_BYTES 320

/* What was met on the way, to be said at the end. */
struct foreign_report {
	uint64_t left_out[LEFT_OUT_COUNT];
	uint64_t bad_records;
	/* The first bad one: */
	char bad_where[FOREIGN_REASON_MAX]; /* file and line, or byte */
	char bad_reason[FOREIGN_REASON_MAX];
	uint64_t in_flight; /* IOs without a completion at the end; their rows are kept */
	char notes[FOREIGN_NOTES_MAX]
		  [FOREIGN_NOTE_BYTES]; /* what else there is to say: foreign_note() */
	unsigned int note_count;
	/* The row time at which the recording began, where the input says so; 0: it does not. */
	uint64_t start_ns;
	/* Unix time of FOREIGN_ORIGIN_NS where a format that counts from the start knows it; else 0 */
	uint64_t start_wall_ns;
};

/* What the command line says about formats that do not tell it themselves. */
struct foreign_options {
	const char *columns; /* csv: "time:us,op,offset,bytes"; NULL: not given */
	char delimiter;	     /* csv; 0: not given */
	uint64_t skip_lines; /* csv: before the first record */
	const char *device;  /* name where the format has none; NULL: "disk1" */
	bool one_layer;	     /* of stacked devices that were traced on both levels, the upper one */
};

/* One stream of records: a file, or all files of a format that keeps one stream in several. */
struct foreign_source {
	const struct foreign_format *format;
	const struct foreign_options *options;
	struct byte_source **files;
	unsigned int file_count;
	struct foreign_names *names;
	struct foreign_report *report;
	void *state; /* format->state_bytes bytes, zeroed before begin() */
};

/* What next() and line() return besides a negative errno, which ends everything. */
enum foreign_result {
	FOREIGN_END = 0,     /* next(): no more rows */
	FOREIGN_ROW = 1,     /* *row is filled */
	FOREIGN_NOTHING = 2, /* line(): a header, a comment, or what foreign_bad() was told of */
};

struct foreign_format {
	const char *name;  /* as --from has it: "msr" */
	const char *title; /* one line for --help */
	enum foreign_clock clock;
	uint64_t tick_ns;  /* what times are multiples of: stored as the trace's resolution */
	bool grouped;	   /* all files are one stream (per-CPU files) */
	bool in_order;	   /* rows come in the order of completion already */
	bool binary;	   /* print() writes what is not meant for a terminal */
	bool holds_events; /* of the block layer: flags and the flushes of the kernel, too */
	bool one_device;   /* its records name no device */
	bool knows_layers; /* tells stacked devices apart itself: repeats are real */
	size_t state_bytes;

	/* True when the first bytes can be nothing else. NULL: --from has to name the format. */
	bool (*recognise)(const char *head, size_t bytes);

	/* 0 or negative errno; *message (static storage) says what is wrong with the options. May be NULL. */
	int (*begin)(struct foreign_source *s, const char **message);
	/* Text: one line to at most one row. enum foreign_result or negative errno. */
	int (*line)(struct foreign_source *s, const char *at, const char *end, struct io_row *row);
	/* Everything else: the next row. enum foreign_result or negative errno. */
	int (*next)(struct foreign_source *s, struct io_row *row);
	void (*finish)(struct foreign_source *s); /* frees what state holds; may be NULL */

	/*
	 * The way back; NULL: none. print_head() may be NULL. print(): true when the format can hold
	 * the row, which is then written to `o`.
	 */
	void (*print_head)(struct foreign_output *o);
	bool (*print)(struct foreign_output *o, const struct io_row *row);
	void (*print_end)(struct foreign_output *o);
};

/* All formats, in the order of --help; ends with NULL. */
extern const struct foreign_format *const foreign_formats[];
const struct foreign_format *foreign_format_by_name(const char *name); /* NULL: none */
/* The one that recognises these first bytes; NULL: none, or more than one does. */
const struct foreign_format *foreign_format_by_content(const char *head, size_t bytes);

/* Counts a record that cannot be understood and keeps where the first one was. FOREIGN_NOTHING. */
int foreign_bad(struct foreign_source *s, const struct byte_source *file, const char *reason);
/* The same for line(), whose file is the only one. */
int foreign_bad_line(struct foreign_source *s, const char *reason);
/* True after very many bad records without a good one: reading on would only take time. */
bool foreign_is_hopeless(const struct foreign_source *s);
/* Counts one that is left out. FOREIGN_NOTHING. */
int foreign_leave_out(struct foreign_source *s, enum foreign_left_out why);
/*
 * Adds a sentence to what is said at the end, once however often it is called: a count that grows
 * from call to call is no part of it.
 */
void foreign_note(struct foreign_source *s, const char *note);
/* The device of formats that know none. */
uint32_t foreign_default_device(struct foreign_source *s);

/* The device "PREFIXNUMBER". */
uint32_t foreign_numbered_device(struct foreign_source *s, const char *prefix, uint64_t number);
/* "MAJOR:MINOR" in `name`, which holds at least 24 bytes. */
struct text foreign_join_numbers(char *name, uint32_t major, uint32_t minor);

/*
 * next() for records of one size (at most BYTE_SOURCE_PEEK_MAX): `parse` makes a row of one, and
 * returns what line() returns. -EBADMSG when the file ends inside a record.
 */
int foreign_next_fixed(struct foreign_source *s, size_t record_bytes,
		       int (*parse)(struct foreign_source *s, const uint8_t *at,
				    struct io_row *row),
		       struct io_row *row);

/* A foreign time, in ns, as a row's. */
static inline uint64_t foreign_time(uint64_t time_ns)
{
	return time_ns + FOREIGN_ORIGIN_NS;
}

/* Windows counts in ticks of this length. */
#define FILETIME_TICK_NS 100ull
/* 1970 in such ticks. */
#define FILETIME_1970 116444736000000000ull

/* Times and lengths above these are taken for damage. */
#define FOREIGN_TIME_MAX_NS (1ull << 62)
#define FOREIGN_BYTES_MAX   (1ull << 48)
#define FOREIGN_SECTOR_MAX  (1ull << 54)
/* Response times above this, and those of 0, are taken for not known. */
#define FOREIGN_RESPONSE_MAX_NS (3600 * NSEC_PER_SEC)

/*
 * Fills sector and bytes of a row from an address in bytes. False when the numbers are beyond all
 * disks; an address that is no multiple of 512 is rounded down, the end up.
 */
bool foreign_place(struct io_row *row, uint64_t offset_bytes, uint64_t bytes);
/* The same from an address in sectors of 512 bytes. */
bool foreign_place_sectors(struct io_row *row, uint64_t sector, uint64_t sectors);

/* Completes a row whose created_ns is set, if the response time can be true; else that is noted. */
void foreign_respond(struct foreign_source *s, struct io_row *row, uint64_t response_ns);

/* True for a first line that begins with a letter: column names, where records begin with digits. */
bool foreign_is_header(const struct foreign_source *s, const char *at, const char *end);

/* What most text formats have at the end of line(): a row that moves data, or what is wrong. */
int foreign_finish_data(struct foreign_source *s, struct io_row *row, uint64_t time_ns,
			bool is_write);

/* A record of a text format that holds only this. */
struct foreign_record {
	uint64_t device; /* its number */
	uint64_t offset_bytes, bytes;
	uint64_t time_ns;
	bool is_write;
};

/* line() of such a format: `parse` fills *r or returns what is wrong. Devices are "PREFIXNUMBER". */
int foreign_record_line(struct foreign_source *s, const char *at, const char *end,
			const char *(*parse)(const char *at, const char *end,
					     struct foreign_record *r),
			const char *device_prefix, struct io_row *row);

/*
 * For recognise(): whether each of the first lines (up to 16 whole ones, at least one) is a
 * record as `is_record` says.
 */
bool foreign_lines_are(const char *head, size_t bytes,
		       bool (*is_record)(const char *at, const char *end));

/* Ticks of 100 ns since 1601 as ns since 1970. False: before 1970 or beyond FOREIGN_TIME_MAX_NS. */
bool foreign_filetime(uint64_t ticks, uint64_t *unix_ns);

#endif
