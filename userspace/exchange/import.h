/* SPDX-License-Identifier: MIT */
/*
 * Converts foreign traces to a blkreel trace: merges the sources on one clock, sorts rows within a
 * window, finds repetitions, and counts what it skips. Memory is bounded.
 */
#ifndef BLKREEL_EXCHANGE_IMPORT_H
#define BLKREEL_EXCHANGE_IMPORT_H

#include <signal.h>

#include "exchange/alignment.h"
#include "exchange/foreign.h"

#define IMPORT_MESSAGE_MAX 512
/* Fewer rows may fall on whole seconds by chance. */
#define WHOLE_SECONDS_ROWS_MIN 20

struct import_options {
	const struct foreign_format *format; /* NULL: by content */
	struct foreign_options foreign;
	bool drop_repeats; /* IOs that repeat another within REPEAT_WINDOW_NS */
	bool align;	   /* move addresses so that most IOs begin at a multiple of 4 KiB */
	struct trace_writer_options writer; /* resolution_ns 0: that of the format */
	const char *command;		    /* for the host block */
	/* Becomes other than 0 to stop the import; may be NULL. */
	volatile const sig_atomic_t *stop;
};

/* The tick of the times of these options, whose format is set. */
uint64_t import_tick_ns(const struct import_options *options);

struct import_result {
	const struct foreign_format *format; /* NULL: not recognised */
	uint64_t rows;			     /* written */
	/* Found: left out with drop_repeats, else written; none where times are too coarse. */
	uint64_t repeats;
	uint64_t disordered, disorder_ns; /* late rows, and their largest delay */
	uint64_t still_disordered;	  /* of these: too late to sort */
	uint64_t before_start;		  /* of these: older than the start of the trace */
	uint64_t first_ns, last_ns;	  /* row times */
	uint64_t file_bytes;		  /* of the trace */
	uint32_t devices;
	bool whole_seconds; /* all times are */
	struct misaligned misaligned;
	bool cut;	    /* an input ended too early or is damaged; *message says which */
	bool output_failed; /* the error concerns the output */
	struct foreign_report report;
	char message[IMPORT_MESSAGE_MAX]; /* "FILE: reason", or "" if the errno tells enough */
};

/*
 * Imports `count` (at least 1) files into the new trace `output`. 0: `output` is complete (skipped
 * records are counted in *result); -EBADMSG, -EINVAL: the input does not suit the format, and
 * nothing was written; -ECANCELED: stopped; other negative errno. On failure no output remains.
 */
int import_run(char *const paths[], unsigned int count, const char *output,
	       const struct import_options *options, struct import_result *result);

#endif
