/* SPDX-License-Identifier: MIT */
/*
 * The operations on files of a trace as requests of a model: a first pass finds the files and their
 * sizes and lays them out one after the other (file_layout.h), a second delivers the operations in
 * order of time.
 */
#ifndef BLKREEL_PROFILE_BUILD_FILE_SOURCE_H
#define BLKREEL_PROFILE_BUILD_FILE_SOURCE_H

#include "profile/build/build.h"
#include "profile/file_layout.h"
#include "profile/file_runs.h"
#include "trace/file/reader.h"

struct file_source {
	uint64_t ops;			    /* that are kept */
	uint64_t left_out[ACCESS_OP_COUNT]; /* of kinds that no profile keeps */
	uint64_t of_others;		    /* of no regular file */
	uint64_t first_ns, last_ns;
	struct profile_files files; /* readahead is known after the second pass */
	struct file_layout layout;
	struct profile_extent extent;
	bool has_direct;	      /* these are in the last space */
	uint32_t spaces[FILE_GROUPS]; /* of the groups of files */
	uint32_t *numbers;	      /* by id in the trace: the file of the layout; 0: none */
	uint64_t *ends;		      /* by id: the end of the last operation, in bytes */
	uint32_t ids;		      /* highest + 1 */
	uint64_t missed[2], ahead[2], ahead_pages[2]; /* sequential operations, others */
};

/* 0; what the reader failed with, after which what came before it counts; -ENOMEM; -ERANGE: more
 * files or bytes than a profile can say. To be released in any case. */
int file_source__scan(struct file_source *s, struct trace_reader *reader);
void file_source__release(struct file_source *s);

/* `space` is one of those of the extent; times from the first. */
typedef int (*file_request_handler)(const struct io_row *row, uint32_t space, void *context);

/* As trace_requests(). Fills the readahead of `files`. */
int file_source__each(struct file_source *s, struct trace_reader *reader,
		      file_request_handler handle, void *context, uint64_t *late_rows);

/* Tells operations on files of a layout as requests: keeps the runs. Zero-filled begins. */
struct file_requests {
	struct file_runs runs[FILE_GROUPS + 1][2]; /* by group; of what is direct */
};

/*
 * The request for an operation that is kept, on file `file` of the layout; *continues: a recent
 * run.
 */
void file_requests_make(struct file_requests *r, const struct file_layout *layout,
			const struct access_row *row, uint32_t file, struct io_row *request,
			bool *continues);

#endif
