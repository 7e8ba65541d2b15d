/* SPDX-License-Identifier: MIT */
/*
 * Writes the contents of a flight recorder into a file, on a thread of its own, while the recorder
 * continues. One dump at a time. A failure is logged and counted; it does not end the recording.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_FLIGHT_DUMP_H
#define BLKREEL_COLLECTOR_RECORDING_FLIGHT_DUMP_H

#include "collector/recording/flight_ring.h"
#include "collector/recording/output_files.h"

#define FLIGHT_REASON_MAX 512

struct flight_dumper;

/* The request with which a trigger fired. A latency of 0: no request did it. */
struct flight_cause {
	uint32_t device; /* as the probes send it */
	int op;		 /* enum tick_op */
	uint64_t latency_ns, end_ns;
};

struct flight_dump {
	struct flight_view *view;     /* owned by the dumper after flight_dumper__submit() */
	struct trace_summary summary; /* without started_before, which the dumper counts */
	bool is_last;		      /* no dump follows: an incomplete file is kept */
	char reason[FLIGHT_REASON_MAX];
	struct flight_cause cause;
};

/* Starts the thread. Does not own `head` and `files`, and uses them until freed. 0 or negative
 * errno. */
int flight_dumper__create(const struct recording_head *head, struct output_files *files,
			  struct flight_dumper **dumper);
/* Waits for the current dump. NULL is allowed. */
void flight_dumper__free(struct flight_dumper *dumper);

/* Whether a dump is being written. */
bool flight_dumper__is_busy(struct flight_dumper *dumper);
/* Begins a dump. Call it only when the dumper is not busy. */
void flight_dumper__submit(struct flight_dumper *dumper, const struct flight_dump *dump);
/* Waits until the dumper is not busy. Returns the result of the last dump: 0 or negative errno. */
int flight_dumper__wait(struct flight_dumper *dumper);

#endif
