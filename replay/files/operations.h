/* SPDX-License-Identifier: MIT */
/* The operations on files that a replay does, and the files that they need. */
#ifndef BLKREEL_REPLAY_FILES_OPERATIONS_H
#define BLKREEL_REPLAY_FILES_OPERATIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/rows.h"

#define FILE_SCRIPT_OPS_MAX	3000000u /* 120 MB */
#define FILE_SCRIPT_THREADS_MAX 512u

struct file_op {
	uint64_t due_ns; /* since the first */
	uint64_t offset, bytes;
	uint32_t file, task; /* ids of the trace */
	uint32_t number;     /* in the order of time */
	uint16_t thread;
	uint8_t op;    /* enum access_op */
	uint8_t flags; /* enum access_flags, without the recorder's own */
};

/* What an operation missed in the cache. */
struct file_touch {
	uint32_t miss_pages, readahead_pages; /* UINT32_MAX: so many or more */
};

/* One file, by its id in the trace. */
struct file_need {
	uint64_t initial_bytes; /* its size before the first operation */
	uint64_t peak_bytes;	/* its largest size */
	uint64_t now_bytes;
	uint64_t *resident; /* bits: pages in the cache at the start, see resident.h; or NULL */
	uint64_t resident_end_page;
	uint32_t misses;     /* operations that missed pages */
	bool used;	     /* an operation names it */
	bool was_read_ahead; /* readahead brought more pages than were asked for */
};

struct file_script {
	struct file_op *ops; /* by thread, then by time */
	uint64_t count;
	uint32_t first[FILE_SCRIPT_THREADS_MAX + 1]; /* of each thread, and the end */
	unsigned int threads;
	uint32_t tasks;
	struct file_need *files; /* by id */
	uint32_t file_ids;	 /* highest id + 1 */
	uint32_t file_count;
	uint64_t initial_bytes, peak_bytes; /* of all files; UINT64_MAX: too many to count */
	uint64_t left_out_writes;	    /* operations that change files, without `write` */
	uint64_t left_out_others; /* operations on no regular file, or on one that is not known */
	uint64_t hit_pages, miss_pages; /* of these operations, as recorded */
	bool find_resident;		/* set before loading: file_resident__find() shall run */
	struct file_touch *touches;	/* while it is loaded */
	uint64_t resident_pages;	/* pages in the cache at the start */
	uint64_t
		resident_guessed_pages; /* of these: guessed, because the operation both hit and missed pages */
	bool is_generated;		/* from a profile: nothing was recorded */
};

#endif
