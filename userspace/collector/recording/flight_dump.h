/* SPDX-License-Identifier: MIT */
/*
 * Writes what a flight recorder holds into a file, on a thread of its own: the recorder goes on
 * meanwhile. One dump at a time. What goes wrong is said and counted; it ends nothing.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_FLIGHT_DUMP_H
#define BLKREEL_COLLECTOR_RECORDING_FLIGHT_DUMP_H

#include "collector/recording/flight_ring.h"
#include "collector/recording/output_files.h"

#define FLIGHT_REASON_MAX 512

struct flight_dumper;

struct flight_dump {
	struct flight_view *view;     /* the dumper's from then on */
	struct trace_summary summary; /* but for started_before, which is counted */
	bool is_last;		      /* there is no other chance: half a file is kept */
	char reason[FLIGHT_REASON_MAX];
};

/* `head` and `files` stay the caller's, and used. 0 or negative errno. */
int flight_dumper__create(const struct recording_head *head, struct output_files *files,
			  struct flight_dumper **dumper);
/* Waits for the dump that is being written. NULL is allowed. */
void flight_dumper__free(struct flight_dumper *dumper);

bool flight_dumper__is_busy(struct flight_dumper *dumper);
/* Begins a dump; to be called when it is not busy. */
void flight_dumper__submit(struct flight_dumper *dumper, const struct flight_dump *dump);
/* Waits until it is not busy. What became of the last dump: 0 or negative errno. */
int flight_dumper__wait(struct flight_dumper *dumper);

#endif
