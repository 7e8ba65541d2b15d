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
};

struct trace_source_devices {
	unsigned int count;
	struct trace_source_device *items;
	uint32_t *places; /* by device id: in `items`, counted from 1; 0: no request */
};

/*
 * Reads the whole trace once and starts it again. `devices` is to be freed by
 * trace_source_devices__free(), also after an error. 0 (how the file ended is the reader's to
 * tell); -ERANGE: an IO whose address does not fit; other negative errno.
 */
int trace_source__survey(struct trace_reader *reader, const struct replay_window *window,
			 struct trace_source_devices *devices);
void trace_source_devices__free(struct trace_source_devices *devices);

/* By name ("sda"), path ("/dev/sda") or number ("8:0"); NULL when no item is that device. */
const struct trace_source_device *
trace_source_devices__find(const struct trace_source_devices *devices,
			   const struct trace_reader *reader, const char *word);

#define TRACE_SOURCE_REORDER_ROWS (1u << 16)

struct trace_source_options {
	struct replay_window window;
	uint32_t device;	   /* table id */
	uint64_t first_ns;	   /* due time 0, from the start of the recording */
	unsigned int reorder_rows; /* rows held to find the next; 0: TRACE_SOURCE_REORDER_ROWS */
};

/*
 * `reader` stands at its start and must outlive the source. Rows lie in the order of their
 * completion; a row that comes more than `reorder_rows` rows after its turn is given late.
 */
int trace_source__create(struct trace_reader *reader, const struct trace_source_options *options,
			 struct replay_source **source);

/* IOs given after one that was created later. */
uint64_t trace_source__out_of_order(const struct replay_source *source);

#endif
