/*
 * What a foreign trace format is to the rest: how it is recognised, how its records become io rows
 * and, where it can hold them, how io rows become its records. One file (format_*.c) per format;
 * formats.c lists them. docs/formats.md describes each with its traps.
 */
#ifndef BLKREEL_EXCHANGE_FOREIGN_H
#define BLKREEL_EXCHANGE_FOREIGN_H

#include <stdbool.h>

#include "base/units.h"
#include "exchange/byte_source.h"
#include "exchange/field.h"
#include "exchange/foreign_names.h"
#include "exchange/foreign_output.h"
#include "trace/rows.h"

/* What foreign times count from. */
enum foreign_clock {
	FOREIGN_CLOCK_START, /* the start of the trace */
	FOREIGN_CLOCK_UNIX,  /* 1970 */
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

/* What was met on the way, to be said at the end. */
struct foreign_report {
	uint64_t left_out[LEFT_OUT_COUNT];
	uint64_t bad_records;
	/* The first bad one: */
	char bad_where[FOREIGN_REASON_MAX]; /* file and line, or byte */
	char bad_reason[FOREIGN_REASON_MAX];
	uint64_t in_flight; /* IOs without a completion at the end; their rows are kept */
	char note[256];	    /* what else the format's reader has to say; "" is nothing */
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
	bool knows_layers; /* tells stacked devices apart itself: IOs that repeat others are real */
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
/* Counts one that is left out. FOREIGN_NOTHING. */
int foreign_leave_out(struct foreign_source *s, enum foreign_left_out why);
/* The device of formats that know none. */
uint32_t foreign_default_device(struct foreign_source *s);

/* A foreign time, in ns, as a row's. */
static inline uint64_t foreign_time(uint64_t time_ns)
{
	return time_ns + FOREIGN_ORIGIN_NS;
}

/* Times and lengths above these are taken for damage. */
#define FOREIGN_TIME_MAX_NS (1ull << 62)
#define FOREIGN_BYTES_MAX   (1ull << 48)
#define FOREIGN_SECTOR_MAX  (1ull << 54)

/*
 * Fills device, op, sector and bytes of a row from an address in bytes. False when the numbers
 * are beyond all disks; an address that is no multiple of 512 is rounded down, `bytes` up.
 */
bool foreign_place(struct io_row *row, uint64_t offset_bytes, uint64_t bytes);

#endif
