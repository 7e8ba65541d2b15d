/*
 * Rows of traces as records of a foreign format: sorted by the time of their creation within a
 * window, what is no request left out, and what the format cannot hold counted.
 */
#ifndef BLKREEL_EXCHANGE_EXPORT_H
#define BLKREEL_EXCHANGE_EXPORT_H

#include "exchange/foreign.h"

struct export_result {
	uint64_t records;		/* written */
	uint64_t left_out[IO_OP_COUNT]; /* requests that the format cannot hold, by operation */
	uint64_t other_devices;	     /* requests of other devices than the first, see one_device */
	uint64_t without_flags;	     /* written without their fua or preflush */
	uint64_t unsorted;	     /* too late to be sorted */
	char device[TRACE_NAME_MAX]; /* the first, where the format holds one device */
};

struct export;

/* `format` has print(). NULL: no memory. `out` stays the caller's. */
struct export *export__new(const struct foreign_format *format, FILE *out);
void export__free(struct export *e); /* NULL is allowed */

/*
 * The trace that the next rows come from: see foreign_output__set_trace(). It has to be there until
 * the next call of this or export__end().
 */
void export__set_trace(struct export *e, const struct trace_reader *reader, uint64_t start_ns,
		       uint64_t start_wall_ns);
/* Rows that are no requests are ignored. */
void export__row(struct export *e, const struct io_row *row);
/* Writes what is left; *result (may be NULL) receives the counts. 0 or -EIO. */
int export__end(struct export *e, struct export_result *result);

/*
 * All io rows of a trace from `from_ns` to before `to_ns` (after the start of the recording).
 * *err receives what the last read returned. 0; -EIO: `out` failed; -ENOMEM.
 */
int export_trace(FILE *out, struct trace_reader *reader, const struct foreign_format *format,
		 uint64_t from_ns, uint64_t to_ns, struct export_result *result, int *err);

#endif
