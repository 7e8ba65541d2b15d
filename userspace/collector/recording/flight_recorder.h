/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder: keeps the newest part of a recording in memory and writes it into a file when
 * it is asked to, when a trigger fires, and at the end.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_FLIGHT_RECORDER_H
#define BLKREEL_COLLECTOR_RECORDING_FLIGHT_RECORDER_H

#include "collector/recording/output_files.h"

struct flight_recorder;

/*
 * `path` as for output_files__create(); what is pointed to stays the caller's, and used. On error
 * `message` may hold a sentence. 0 or negative errno.
 */
int flight_recorder__create(const char *path, const struct flight_options *options,
			    const struct recording_head *head,
			    const struct trace_writer_options *writer,
			    struct flight_recorder **flight, char message[COLLECTOR_MESSAGE_MAX]);
/* Waits for a dump that is being written. NULL is allowed. */
void flight_recorder__free(struct flight_recorder *f);

/* Rows go to *writer, the ring's, from host->start_ns on. 0 or negative errno. */
int flight_recorder__next_segment(struct flight_recorder *f, const struct trace_host *host,
				  struct trace_writer **writer);
/* Whether, after the next look at the kernel's counters, a segment should begin. */
bool flight_recorder__segment_is_due(struct flight_recorder *f, uint64_t now_ns);

/* Each row, and then the moment up to which there are no more: triggers look at them. */
void flight_recorder__row(struct flight_recorder *f, const struct io_row *row);
void flight_recorder__advance(struct flight_recorder *f, uint64_t now_ns);
/* Whether a trigger wants to see the requests in flight now and then; and one of them. */
bool flight_recorder__asks_in_flight(const struct flight_recorder *f);
void flight_recorder__in_flight(struct flight_recorder *f, const struct io_row *row,
				uint64_t now_ns);

void flight_recorder__ask(
	struct flight_recorder *f); /* for a dump as soon as possible; any thread */
bool flight_recorder__dump_is_due(struct flight_recorder *f, uint64_t now_ns);
/* Writes out what the ring holds, which ends at summary->stop_ns; in the background, whatever goes
 * wrong. -ENOMEM. */
int flight_recorder__dump(struct flight_recorder *f, const struct trace_summary *summary);
/* The last dump: waits until it is written. 0 or negative errno, and it was said. */
int flight_recorder__finish(struct flight_recorder *f, const struct trace_summary *summary);

uint64_t
flight_recorder__bytes(const struct flight_recorder *f); /* of memory that the ring takes */
uint64_t flight_recorder__io_rows(const struct flight_recorder *f); /* in it */

#endif
