/*
 * Rows of traces as records of a foreign format: sorted by the time of their creation within a
 * window, what is no request left out, and what the format cannot hold counted.
 */
#ifndef BLKREEL_EXCHANGE_EXPORT_H
#define BLKREEL_EXCHANGE_EXPORT_H

#include "exchange/foreign.h"
#include "trace/merge.h"

struct export_result {
	uint64_t records;		/* written */
	uint64_t left_out[IO_OP_COUNT]; /* requests that the format cannot hold, by operation */
	uint64_t other_devices;	     /* requests of other devices than the first, see one_device */
	uint64_t without_flags;	     /* written without their fua or preflush */
	uint64_t events_left_out;    /* of rows that were under way for very long */
	uint64_t unsorted;	     /* too late to be sorted */
	char device[TRACE_NAME_MAX]; /* the first, where the format holds one device */
};

struct export;

/*
 * `format` has print(); the rest as for foreign_output__set_trace(). `out` and `reader` stay the
 * caller's. NULL: no memory.
 */
struct export *export__new(const struct foreign_format *format, FILE *out,
			   const struct trace_reader *reader, uint64_t start_ns,
			   uint64_t start_wall_ns);
void export__free(struct export *e); /* NULL is allowed */

/* Rows that are no requests are ignored, unless the format holds_events. */
void export__row(struct export *e, const struct io_row *row);
/* Writes what is left; *result receives the counts. 0 or -EIO. */
int export__end(struct export *e, struct export_result *result);

/* All io rows of a stream of one trace. 0; -EIO: `out` failed; -ENOMEM, or what a watch returned. */
int export_stream(FILE *out, struct trace_stream *stream, const struct foreign_format *format,
		  struct export_result *result);

#endif
