/* SPDX-License-Identifier: MIT */
/* Prints the rows of traces as text, CSV or JSON lines. */
#ifndef BLKREEL_EXCHANGE_DUMP_ROW_DUMP_H
#define BLKREEL_EXCHANGE_DUMP_ROW_DUMP_H

#include "exchange/dump/emitter.h"
#include "trace/streams/merge.h"

/*
 * Prints every row of the stream, which gives rows of `kind` alone, to `out`. With several traces
 * the first column is the host, and all times are on the common clock. 0; -EIO: `out` failed;
 * -ENOMEM. See the stream for how each trace ended.
 */
int row_dump(FILE *out, struct trace_stream *stream, enum row_kind kind, enum row_format format);

#endif
