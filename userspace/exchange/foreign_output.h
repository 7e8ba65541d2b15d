/* SPDX-License-Identifier: MIT */
/*
 * Where rows go as records of a foreign format: a buffered FILE, with what a row refers to. Used by
 * the print functions of the formats.
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
 * The trace that the next rows come from. `start_ns` is the row time that counts as 0 in formats
 * whose time starts with the trace, `start_wall_ns` the Unix time of that moment.
 */
void foreign_output__set_trace(struct foreign_output *o, const struct trace_reader *reader,
			       uint64_t start_ns, uint64_t start_wall_ns);

/* Times for print(): since the start (0 for what lies before it), and since 1970. */
uint64_t foreign_output__since_start_ns(const struct foreign_output *o, uint64_t time_ns);
uint64_t foreign_output__unix_ns(const struct foreign_output *o, uint64_t time_ns);
/* Digits that a fraction of seconds needs to lose nothing: 9, or 6 for a trace in microseconds. */
unsigned int foreign_output__digits(const struct foreign_output *o);
/* The first time that was seen of a row: created, else issued, else completed. */
uint64_t foreign_row_time_ns(const struct io_row *row);
/* From there to completion; 0: not known. */
uint64_t foreign_row_latency_ns(const struct io_row *row);

/* A read or a write of at least one and only whole sectors. */
bool foreign_row_moves_sectors(const struct io_row *row);

const struct trace_device *foreign_output__device(const struct foreign_output *o, uint32_t id);
const char *foreign_output__device_name(const struct foreign_output *o,
					uint32_t id); /* "disk1" if none */
/*
 * For formats whose devices are numbers: that in the device's name where it is `prefix` and digits
 * alone, else its id; another where two devices would have the same. Below 2^24.
 */
uint32_t foreign_output__device_number(struct foreign_output *o, uint32_t id, const char *prefix);
const struct trace_task *foreign_output__task(const struct foreign_output *o, uint32_t id);

/* A place for what a format has to remember between rows: `bytes` zeroed bytes at the first call. */
void *foreign_output__state(struct foreign_output *o, size_t bytes);

void put_text(struct foreign_output *o, const char *text);
/* A name in which blanks, control characters and the separators become '_'. */
void put_name(struct foreign_output *o, const char *name, const char *separators);
void put_char(struct foreign_output *o, char c);
void put_number(struct foreign_output *o, uint64_t value);
/* ns as a decimal number in units of `unit_ns` (a power of ten) with `digits` digits of fraction. */
void put_decimal(struct foreign_output *o, uint64_t time_ns, uint64_t unit_ns, unsigned int digits);
void put_bytes(struct foreign_output *o, const void *bytes, size_t count);

/* Counts an event of a row that could not be written where it belongs, and was left out. */
void foreign_output__leave_out_event(struct foreign_output *o);
uint64_t foreign_output__events_left_out(const struct foreign_output *o);

/* Hands everything to the FILE. 0 or -EIO. */
int foreign_output__flush(struct foreign_output *o);

#endif
