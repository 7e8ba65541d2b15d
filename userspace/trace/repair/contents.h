/* SPDX-License-Identifier: MIT */
/* The result of reading a whole trace: losses and times. Reading also checks for damage. */
#ifndef BLKREEL_TRACE_REPAIR_CONTENTS_H
#define BLKREEL_TRACE_REPAIR_CONTENTS_H

#include "trace/file/reader.h"
#include "trace/repair/verify.h"

struct trace_contents {
	const char *path;
	const struct trace_reader *reader;
	uint64_t lost[LOSS_CLASS_COUNT], lost_total;
	uint64_t last_ns;			   /* the latest time seen in a row */
	const struct trace_verification *verified; /* NULL: not verified */
};

/* Reads to the end. 0; -EBADMSG: damaged (the rows before that count); other negative errno. */
int trace_contents__read(struct trace_contents *c, struct trace_reader *reader);

/* From the start to the end of the recording, or to the last row of a trace that was cut. */
uint64_t trace_contents__duration_ns(const struct trace_contents *c);
double trace_contents__bytes_per_io(const struct trace_contents *c); /* of file; 0 without IOs */

#endif
