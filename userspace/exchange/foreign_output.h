/* SPDX-License-Identifier: MIT */
/*
 * The output of an export: a buffered FILE and the tables that rows refer to. For the print
 * functions of the formats.
 */
#ifndef BLKREEL_EXCHANGE_FOREIGN_OUTPUT_H
#define BLKREEL_EXCHANGE_FOREIGN_OUTPUT_H

#include <stdio.h>

#include "exchange/input/field.h"
#include "trace/file/reader.h"

struct foreign_output;

struct foreign_output *foreign_output__new(FILE *out); /* NULL: no memory */
void foreign_output__free(struct foreign_output *o);   /* NULL is allowed */

/*
 * Sets the trace of the next rows. `start_ns`: the row time that counts as 0 in formats whose time
 * starts with the trace; `start_wall_ns`: its Unix time.
 */
void foreign_output__set_trace(struct foreign_output *o, const struct trace_reader *reader,
			       uint64_t start_ns, uint64_t start_wall_ns);

/* Times for print(): since the start (0 for earlier times), and since 1970. */
uint64_t foreign_output__since_start_ns(const struct foreign_output *o, uint64_t time_ns);
uint64_t foreign_output__unix_ns(const struct foreign_output *o, uint64_t time_ns);
/* Digits of an exact fraction of a second: 9, or 6 for a trace in microseconds. */
unsigned int foreign_output__digits(const struct foreign_output *o);
/* The first known time of a row: created, else issued, else completed. */
uint64_t foreign_row_time_ns(const struct io_row *row);
/* From that time to completion; 0: not known. */
uint64_t foreign_row_latency_ns(const struct io_row *row);

/* Whether the row is a read or a write of one or more whole sectors. */
bool foreign_row_moves_sectors(const struct io_row *row);

/* Table entries of the current trace; NULL: none. */
const struct trace_device *foreign_output__device(const struct foreign_output *o, uint32_t id);
const char *foreign_output__device_name(const struct foreign_output *o,
					uint32_t id); /* "disk1" if none */
/*
 * For formats with device numbers: the number in the device's name if that is `prefix` and digits,
 * else its id; another number if two devices would have the same. Below 2^24.
 */
uint32_t foreign_output__device_number(struct foreign_output *o, uint32_t id, const char *prefix);
const struct trace_task *foreign_output__task(const struct foreign_output *o, uint32_t id);

/* The state of a format between rows: `bytes` bytes, zeroed at the first call; NULL: no memory. */
void *foreign_output__state(struct foreign_output *o, size_t bytes);

/* Write to the output; errors appear at foreign_output__flush(). */
void put_text(struct foreign_output *o, const char *text);
/* Writes a name; blanks, control characters and the separators become '_'. */
void put_name(struct foreign_output *o, const char *name, const char *separators);
void put_char(struct foreign_output *o, char c);
void put_number(struct foreign_output *o, uint64_t value);
/* Writes ns as a decimal number in units of `unit_ns` (a power of ten), with `digits` decimals. */
void put_decimal(struct foreign_output *o, uint64_t time_ns, uint64_t unit_ns, unsigned int digits);
void put_bytes(struct foreign_output *o, const void *bytes, size_t count);

/* Counts an event that came too late for its place and was left out. */
void foreign_output__leave_out_event(struct foreign_output *o);
uint64_t foreign_output__events_left_out(const struct foreign_output *o);

/* Writes everything to the FILE. 0 or -EIO. */
int foreign_output__flush(struct foreign_output *o);

#endif
