/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder: keeps the newest part of a recording in memory and writes it into a file when
 * it is asked to, when a trigger fires, and at the end.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_FLIGHT_RECORDER_H
#define BLKREEL_COLLECTOR_RECORDING_FLIGHT_RECORDER_H

#include "collector/recording/output_files.h"

struct flight;

/*
 * `path` as for output_files__create(); what is pointed to stays the caller's, and used. On error
 * `message` may hold a sentence. 0 or negative errno.
 */
int flight__create(const char *path, const struct flight_options *options,
		   const struct recording_head *head, const struct trace_writer_options *writer,
		   struct flight **flight, char message[COLLECTOR_MESSAGE_MAX]);
/* Waits for a dump that is being written. NULL is allowed. */
void flight__free(struct flight *f);

/* Rows go to *writer, the ring's, from host->start_ns on. 0 or negative errno. */
int flight__next_segment(struct flight *f, const struct trace_host *host,
			 struct trace_writer **writer);
/* Whether, after the next look at the kernel's counters, a segment should begin. */
bool flight__segment_is_due(struct flight *f, uint64_t now_ns);

/* Each row, and then the moment up to which there are no more: triggers look at them. */
void flight__row(struct flight *f, const struct io_row *row);
void flight__advance(struct flight *f, uint64_t now_ns);
/* Whether a trigger wants to see the requests in flight now and then; and one of them. */
bool flight__asks_in_flight(const struct flight *f);
void flight__in_flight(struct flight *f, const struct io_row *row, uint64_t now_ns);

void flight__ask(struct flight *f); /* for a dump as soon as possible; any thread */
bool flight__dump_is_due(struct flight *f, uint64_t now_ns);
/* Writes out what the ring holds, which ends at summary->stop_ns; in the background, whatever goes
 * wrong. -ENOMEM. */
int flight__dump(struct flight *f, const struct trace_summary *summary);
/* The last dump: waits until it is written. 0 or negative errno, and it was said. */
int flight__finish(struct flight *f, const struct trace_summary *summary);

uint64_t flight__bytes(const struct flight *f);	  /* of memory that the ring takes */
uint64_t flight__io_rows(const struct flight *f); /* in it */

#endif
