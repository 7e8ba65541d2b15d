/* SPDX-License-Identifier: MIT */
/*
 * Prints rows of named fields as text, CSV or JSON lines. A row is one series of emit calls; the
 * same calls print the header. Allocates nothing per row.
 */
#ifndef BLKREEL_EXCHANGE_DUMP_EMITTER_H
#define BLKREEL_EXCHANGE_DUMP_EMITTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum row_format {
	FORMAT_TEXT = 0, /* aligned columns for people */
	FORMAT_CSV,	 /* RFC 4180 with a header line; texts byte for byte */
	FORMAT_JSON,	 /* one object per line; texts escaped as in docs/trace-format.md */
};

struct emitter;

struct emitter *emitter__new(FILE *out, enum row_format format); /* NULL: no memory */
void emitter__free(struct emitter *e); /* NULL is allowed; drops what is not flushed */

/* Enclose a row: one emit call per field. `header`: prints the names instead. */
void emitter__begin(struct emitter *e, bool header);
void emitter__end(struct emitter *e);

/* For callers that omit fields in text output. */
enum row_format emitter__format(const struct emitter *e);

/* `width`: of the column in FORMAT_TEXT; a wider value moves the rest of the line. */
void emit_number(struct emitter *e, const char *name, unsigned int width, uint64_t value);
void emit_signed(struct emitter *e, const char *name, unsigned int width, int64_t value);
/* Signed nanoseconds as seconds with nine digits: -0.000001500 */
void emit_seconds(struct emitter *e, const char *name, unsigned int width, int64_t value_ns);
void emit_text(struct emitter *e, const char *name, unsigned int width, const char *text);
/* An unknown value: "-" as text, empty in CSV, null in JSON. */
void emit_unknown(struct emitter *e, const char *name, unsigned int width);

/* Writes everything to the FILE. 0 or -EIO. */
int emitter__flush(struct emitter *e);

#endif
