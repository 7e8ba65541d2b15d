/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder: keeps the newest part of a recording in memory and writes it into a file on
 * request, when a trigger fires, and at the end.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_FLIGHT_RECORDER_H
#define BLKREEL_COLLECTOR_RECORDING_FLIGHT_RECORDER_H

#include "collector/recording/output_files.h"

struct flight_recorder;

/*
 * `path` as for output_files__create(). Does not own what the arguments point to, and uses it until
 * freed. On error `message` may hold a sentence. 0 or negative errno.
 */
int flight_recorder__create(const char *path, const struct flight_options *options,
			    const struct recording_head *head,
			    const struct trace_writer_options *writer,
			    struct flight_recorder **flight, char message[COLLECTOR_MESSAGE_MAX]);
/* Waits for the current dump. NULL is allowed. */
void flight_recorder__free(struct flight_recorder *f);

/* Begins a segment at host->start_ns. Rows go to *writer, which the ring owns. 0 or negative
 * errno. */
int flight_recorder__next_segment(struct flight_recorder *f, const struct trace_host *host,
				  struct trace_writer **writer);
/* Whether a segment should begin after the next sample of the kernel's counters. */
bool flight_recorder__segment_is_due(struct flight_recorder *f, uint64_t now_ns);

/* Passes on each row, and then the time up to which no more rows come, to the triggers. `device` is
 * the number of its device, as the probes send it. */
void flight_recorder__row(struct flight_recorder *f, const struct io_row *row, uint32_t device);
void flight_recorder__advance(struct flight_recorder *f, uint64_t now_ns);
/* Whether a trigger watches requests in flight; passes on one of them. */
bool flight_recorder__asks_in_flight(const struct flight_recorder *f);
void flight_recorder__in_flight(struct flight_recorder *f, const struct io_row *row,
				uint64_t now_ns);

/* Requests a dump as soon as possible. Any thread may call this. */
void flight_recorder__ask(struct flight_recorder *f);
/* Whether a dump was requested, or a trigger's file is due. */
bool flight_recorder__dump_is_due(struct flight_recorder *f, uint64_t now_ns);
/* Writes the contents of the ring, which end at summary->stop_ns, in the background; a failure is
 * logged. 0 or -ENOMEM. */
int flight_recorder__dump(struct flight_recorder *f, const struct trace_summary *summary);
/* Writes the last dump and waits until it is written. 0 or negative errno, already logged. */
int flight_recorder__finish(struct flight_recorder *f, const struct trace_summary *summary);

uint64_t flight_recorder__bytes(const struct flight_recorder *f);   /* memory that the ring uses */
uint64_t flight_recorder__io_rows(const struct flight_recorder *f); /* IO rows in the ring */

#endif
