/* SPDX-License-Identifier: MIT */
/*
 * A recording in several files, each a complete trace: decides when the next file begins, names it,
 * and closes the previous one while the recorder continues.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_ROTATION_H
#define BLKREEL_COLLECTOR_RECORDING_ROTATION_H

#include "collector/recording/output_files.h"

struct rotation;

/* As flight_recorder__create(). */
int rotation__create(const char *path, const struct rotation_options *options,
		     const struct recording_head *head, const struct trace_writer_options *writer,
		     struct rotation **rotation, char message[COLLECTOR_MESSAGE_MAX]);
/* Waits for files that are being closed. NULL is allowed. */
void rotation__free(struct rotation *r);

/* Creates a file that begins at host->start_ns; rotation__path() is its name. 0 or negative errno:
 * then a request for the next file remains. */
int rotation__next(struct rotation *r, const struct trace_host *host, struct trace_writer **writer);
const char *rotation__path(const struct rotation *r);
uint64_t rotation__start_ns(const struct rotation *r);	/* start of the current file */
unsigned int rotation__files(const struct rotation *r); /* files created so far */

void rotation__ask(struct rotation *r); /* requests the next file as soon as possible; any thread */
/*
 * Whether the current file, which has `rows` rows and of which `file_bytes` are written, is old
 * enough, will be too large at the next call, or the next one was requested.
 */
bool rotation__is_due(struct rotation *r, uint64_t now_ns, uint64_t rows, uint64_t file_bytes);
/* The next file could not be created: the current one continues, and the rotation tries again
 * later. */
void rotation__postpone(struct rotation *r, uint64_t now_ns, int err);

/* A file to close. */
struct rotated_file {
	struct trace_writer *writer; /* no more rows follow; owned by the rotation */
	struct trace_summary summary;
	uint64_t start_ns;
	uint64_t lost;
	char path[TRACE_PATH_MAX];
};

/* Closes the file in the background; a failure is logged, and rotation__finish() returns it. 0;
 * -ENOMEM: the file was closed in the foreground. */
int rotation__close(struct rotation *r, const struct rotated_file *file);
/* Waits for all files to be closed. 0 or the first negative errno. */
int rotation__finish(struct rotation *r);

#endif
