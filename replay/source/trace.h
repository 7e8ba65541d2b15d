/* SPDX-License-Identifier: MIT */
/* The requests of one device of a trace, in the order in which they were created. */
#ifndef BLKREEL_REPLAY_SOURCE_TRACE_H
#define BLKREEL_REPLAY_SOURCE_TRACE_H

#include "replay/source/survey.h"
#include "replay/source/window.h"
#include "trace/file/reader.h"

/* What a trace holds for one device; devices without requests in the window are left out. */
struct trace_source_device {
	uint32_t device;   /* table id */
	uint64_t first_ns; /* created, from the start of the recording */
	struct replay_survey survey;
	uint64_t left_out_ios; /* of parties that the window is without */
};

#define TRACE_SOURCE_PARTIES_MAX 1024u

struct trace_source_devices {
	unsigned int count;
	struct trace_source_device *items;
	uint32_t *places;	       /* by device id: in `items`, counted from 1; 0: no request */
	uint64_t *flush_machinery_ios; /* by device id */
	const char *not_found; /* a party that the window is without, and no IO is of; or NULL */
	char there[TRACE_SOURCE_PARTIES_MAX]; /* then: the parties of its kind that there are */
};

/*
 * Reads the whole trace once and rewinds it. `devices` is to be freed by
 * trace_source_devices__free(), also after an error. 0 (the reader knows how the file ended);
 * -ERANGE: an IO whose address does not fit; other negative errno.
 */
int trace_source__survey(struct trace_reader *reader, const struct replay_window *window,
			 struct trace_source_devices *devices);
/* Frees the lists. */
void trace_source_devices__free(struct trace_source_devices *devices);

/* Finds a device by name ("sda"), path ("/dev/sda") or number ("8:0"); NULL: none of the items. */
const struct trace_source_device *
trace_source_devices__find(const struct trace_source_devices *devices,
			   const struct trace_reader *reader, const char *name);

#define TRACE_SOURCE_REORDER_ROWS (1u << 16)

struct trace_source_options {
	struct replay_window window;
	uint32_t device;   /* table id */
	uint64_t first_ns; /* due time 0, from the start of the recording */
	unsigned int
		reorder_rows; /* rows to look at for the next IO; 0: TRACE_SOURCE_REORDER_ROWS */
};

/*
 * `reader` is at its start and must outlive the source. The rows of a trace are in the order of
 * completion. A row that comes more than `reorder_rows` rows too late is given late. 0 or negative
 * errno.
 */
int trace_source__create(struct trace_reader *reader, const struct trace_source_options *options,
			 struct replay_source **source);

/* How many IOs were given after one that was created later. */
uint64_t trace_source__out_of_order(const struct replay_source *source);

#endif
