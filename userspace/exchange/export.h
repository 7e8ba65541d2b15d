/* SPDX-License-Identifier: MIT */
/*
 * Writes rows of traces as records of a foreign format: sorts them by creation time within a
 * window, skips rows that are no requests, and counts those that the format cannot hold.
 */
#ifndef BLKREEL_EXCHANGE_EXPORT_H
#define BLKREEL_EXCHANGE_EXPORT_H

#include "exchange/foreign.h"
#include "trace/streams/merge.h"

struct export_result {
	uint64_t records;		  /* written */
	uint64_t left_out[IO_OP_COUNT];	  /* requests that the format cannot hold, by operation */
	uint64_t flush_requests_left_out; /* the same, of writes without data; not in left_out */
	uint64_t kernel_flushes;	  /* not written: the kernel's, for other requests */
	uint64_t other_devices;	     /* requests of other devices than the first, see one_device */
	uint64_t without_flags;	     /* written without their fua or preflush */
	uint64_t without_priority;   /* written without a priority other than best effort 4 */
	uint64_t without_hint;	     /* written without their write hint */
	uint64_t events_left_out;    /* of rows with very long latencies */
	uint64_t unsorted;	     /* too late to be sorted */
	uint64_t clamped;	     /* written with time 0, but older than the start */
	char device[TRACE_NAME_MAX]; /* the first, if the format holds one device */
};

/*
 * Writes all io rows of a stream of one trace; `format` must have print(). 0; -EIO: `out` failed;
 * -ENOMEM; the result of a watch.
 */
int export_stream(FILE *out, struct trace_stream *stream, const struct foreign_format *format,
		  struct export_result *result);

#endif
