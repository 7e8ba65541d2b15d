/* SPDX-License-Identifier: MIT */
/* profile --level files: the operations on files of a trace. */
#ifndef BLKREEL_COMMANDS_SHARED_PROFILE_FILES_H
#define BLKREEL_COMMANDS_SHARED_PROFILE_FILES_H

#include "profile/build/file_source.h"
#include "workload/missing_rows.h"

struct profile_files_input {
	const char *path;
	struct trace_reader *reader;
	struct file_source source;
	bool torn; /* the trace was cut; what is whole is used */
	struct missing_rows missing;
};

/* Finds the files of a trace and prints what is left out. Exit code, after one line. */
int cmd_profile_files_open(struct profile_files_input *input, const char *path);

/* All operations in order. Exit code as above. */
int cmd_profile_files_each(struct profile_files_input *input, file_request_handler handle,
			   void *context);

void cmd_profile_files_close(struct profile_files_input *input);

enum submitter cmd_profile_files_submitter(const struct io_row *request);

/* For commands that take no profile of files: EXIT_USAGE and a message for one, else EXIT_OK. */
int cmd_profile_need_device(const struct profile *p, const char *path, const char *what);

#endif
