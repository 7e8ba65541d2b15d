/* SPDX-License-Identifier: MIT */
/*
 * The files of a recording that writes several. A file is named after one name and the time at
 * which it was made, and never replaces an existing file. When only some are kept, older ones are
 * removed, those of earlier runs first: only traces of that name that are still the same file.
 */
#ifndef BLKREEL_COLLECTOR_RECORDING_OUTPUT_FILES_H
#define BLKREEL_COLLECTOR_RECORDING_OUTPUT_FILES_H

#include <sys/stat.h>

#include "collector/options.h"
#include "collector/recording/head.h"
#include "trace/file/writer.h"

struct output_files;

/*
 * `name` is the argument of -o: "db.reel" makes db-20261121-150102.reel. `keep`: how many to keep;
 * 0: all. Does not own what the arguments point to, and uses it until freed. 0; -ENOENT, -ENOTDIR,
 * -EACCES, -EISDIR ...: no file can be created there, and `message` says why; -ENOMEM.
 */
int output_files__create(const char *name, unsigned int keep, const struct recording_head *head,
			 const struct trace_writer_options *options, struct output_files **files,
			 char message[COLLECTOR_MESSAGE_MAX]);
void output_files__free(struct output_files *files); /* NULL is allowed */

/*
 * Creates the next file, with host and tiers, and writes its name, made from `wall_ns`, into
 * `path`. If `path` holds the name of a file that was moved away, the file gets that name again. 0
 * or negative errno; on error nothing is left behind.
 */
int output_files__next(struct output_files *files, const struct trace_host *host, uint64_t wall_ns,
		       char path[TRACE_PATH_MAX], struct trace_writer **writer);

/* Removes a file that could not be completed, if the path still leads to it: `made` is its stat(2). */
void output_files__remove(struct output_files *files, const char *path, const struct stat *made);
/* Removes the oldest files beyond those to keep and `more`. Any thread may call this. */
void output_files__trim(struct output_files *files, unsigned int more);

#endif
