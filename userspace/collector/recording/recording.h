/* SPDX-License-Identifier: MIT */
/*
 * One recording from start to end: a thread drains the probes into a trace file. record and replay
 * -o use it; besides doctor and the counting probes it is the only entry to the collector.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_RECORDING_H
#define BLKREEL_COLLECTOR_RECORDING_RECORDING_H

#include "collector/options.h"

struct recording;

/*
 * Loads and attaches the probes, creates `path` and starts draining; returns when every probe is
 * attached. With `flight` or `rotation` the names of files are made from `path` (see
 * collector/recording/output_files.h), which must stay valid. On error nothing is left behind and
 * `message` holds a sentence with the remedy. 0; -EPERM: privileges are missing; -ENODEV: no such
 * device; -EEXIST: `path` exists and is not a trace; other negative errno.
 */
int recording__start(const char *path, const struct recording_options *options,
		     struct recording **recording, char message[COLLECTOR_MESSAGE_MAX]);

/* A descriptor that becomes readable when the recording has failed (disk full). Not the caller's to
 * close. */
int recording__failure_fd(const struct recording *r);

/* The name of the first file, or the name from which names of files are made. */
const char *recording__first_path(const struct recording *r);

/* With `flight`: requests a dump. With `rotation`: begins the next file, under the same name if the
 * file was moved away. Happens as soon as possible. Otherwise does nothing. */
void recording__ask_for_file(struct recording *r);

/*
 * Detaches the probes, drains, closes the file and frees `r`. `command_status` as from waitpid(),
 * -1 for none. On error `message` says what failed and what is still readable; it is empty when the
 * failure of one of several files was already logged. 0 or negative errno.
 */
int recording__stop(struct recording *r, int command_status, struct recording_totals *totals,
		    char message[COLLECTOR_MESSAGE_MAX]);

#endif
