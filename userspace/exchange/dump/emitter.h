/* SPDX-License-Identifier: MIT */
/*
 * One row of named fields after the other as text, CSV or JSON lines. A row is described once, by
 * a series of emit calls; the same calls print the header. Nothing is allocated per row.
 */
#ifndef BLKREEL_EXCHANGE_DUMP_EMITTER_H
#define BLKREEL_EXCHANGE_DUMP_EMITTER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum row_format {
	FORMAT_TEXT = 0, /* aligned columns for people */
	FORMAT_CSV,	 /* RFC 4180 with a header line; texts byte for byte */
	FORMAT_JSON,	 /* one object per line; texts escaped as docs/trace-format.md has it */
};

struct emitter;

struct emitter *emitter__new(FILE *out, enum row_format format); /* NULL: no memory */
void emitter__free(struct emitter *e); /* NULL is allowed; what is not flushed is dropped */

/* Between these two calls, one emit call per field. `header`: the names are printed instead. */
void emitter__begin(struct emitter *e, bool header);
void emitter__end(struct emitter *e);

/* A format without a field (text, of what only scripts need) is the caller's to ask. */
enum row_format emitter__format(const struct emitter *e);

/* `width` is that of the column in FORMAT_TEXT; a value that is wider moves the rest. */
void emit_number(struct emitter *e, const char *name, unsigned int width, uint64_t value);
void emit_signed(struct emitter *e, const char *name, unsigned int width, int64_t value);
/* Signed nanoseconds as seconds with nine digits: -0.000001500 */
void emit_seconds(struct emitter *e, const char *name, unsigned int width, int64_t value_ns);
void emit_text(struct emitter *e, const char *name, unsigned int width, const char *text);
/* Not known: "-" as text, empty in CSV, null in JSON. */
void emit_unknown(struct emitter *e, const char *name, unsigned int width);

/* Hands everything to the FILE. 0 or -EIO. */
int emitter__flush(struct emitter *e);

#endif
