/* SPDX-License-Identifier: MIT */
/*
 * One recording from start to end: probes into a trace file, drained by a thread of its own.
 * record and replay -o use it alike; it is the only door to the collector besides doctor.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_RECORDING_H
#define BLKREEL_COLLECTOR_RECORDING_RECORDING_H

#include "collector/options.h"

struct recording;

/*
 * With `flight` or `rotation`, `path` is what the names of the files are made of, see
 * collector/recording/output_files.h; it stays the caller's, and used.
 * Loads and attaches the probes, creates `path` and starts draining; returns when every probe is
 * on. On error nothing is left behind and `message` holds a sentence for the user (with the
 * remedy). 0; -EPERM: privileges are missing; -ENODEV: no such device; -EEXIST: `path` is
 * something else than a trace; other negative errno.
 */
int recording__start(const char *path, const struct recording_options *options,
		     struct recording **recording, char message[COLLECTOR_MESSAGE_MAX]);

/* A descriptor that becomes readable when the recording has failed in between (disk full). */
int recording__failure_fd(const struct recording *r);

/* The file that was begun first, or what the names of files are made of. */
const char *recording__first_path(const struct recording *r);

/* With `flight`: writes out what there is. With `rotation`: begins the next file, under the same name
 * if the file was moved away. As soon as possible, and without it nothing happens. */
void recording__ask_for_file(struct recording *r);

/*
 * Takes the probes off, drains, closes the file and frees `r`. `command_status` as from
 * waitpid(), -1 for none. On error `message` says what is wrong and what is still readable; it is
 * empty where that was said of one of several files.
 */
int recording__stop(struct recording *r, int command_status, struct recording_totals *totals,
		    char message[COLLECTOR_MESSAGE_MAX]);

#endif
