/* The rows of a trace as text, CSV or JSON lines. */
#ifndef BLKREEL_EXCHANGE_ROW_DUMP_H
#define BLKREEL_EXCHANGE_ROW_DUMP_H

#include "exchange/emitter.h"
#include "trace/reader.h"

struct row_dump_options {
	enum row_kind kind;
	enum row_format format;
	uint64_t from_ns, to_ns; /* after the start of the recording; rows in [from, to) */
};

/*
 * Prints every row of the kind to `out`, in the order of the file. *err receives what the last
 * read returned (0 or negative errno). 0; -EIO: `out` failed; -ENOMEM.
 */
int row_dump(FILE *out, struct trace_reader *reader, const struct row_dump_options *options,
	     int *err);

#endif
