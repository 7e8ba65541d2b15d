/* SPDX-License-Identifier: MIT */
/*
 * The files of a recording that writes several: named after one name and the moment in which each
 * was made, never over an existing file, and, where only so many are to be kept, removed again:
 * those that were made here and are still the same file.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_OUTPUT_FILES_H
#define BLKREEL_COLLECTOR_RECORDING_OUTPUT_FILES_H

#include "collector/options.h"
#include "collector/recording/head.h"
#include "trace/file/writer.h"

struct output_files;

/*
 * `name` is what -o gave: "db.reel" makes db-20261121-150102.reel. `keep`: so many at most; 0: all.
 * What is pointed to stays the caller's, and used. -ENOENT, -ENOTDIR, -EACCES, -EISDIR ...: no file
 * could be made there, `message` says why; -ENOMEM.
 */
int output_files__create(const char *name, unsigned int keep, const struct recording_head *head,
			 const struct trace_writer_options *options, struct output_files **files,
			 char message[COLLECTOR_MESSAGE_MAX]);
void output_files__free(struct output_files *files); /* NULL is allowed */

/*
 * Makes the next file, with host and tiers, and its name, of the moment `wall_ns`, in `path`; with
 * the name of a file that was moved away in `path`, it is that name again. 0 or negative errno, and
 * nothing is left behind.
 */
int output_files__next(struct output_files *files, const struct trace_host *host, uint64_t wall_ns,
		       char path[TRACE_PATH_MAX], struct trace_writer **writer);

/* Removes a file that came to nothing. */
void output_files__remove(struct output_files *files, const char *path);
/* Removes the oldest beyond what is to be kept and `more`. Any thread may call this. */
void output_files__trim(struct output_files *files, unsigned int more);

#endif
