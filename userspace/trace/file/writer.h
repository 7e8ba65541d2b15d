/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace file: gathers rows by kind, encodes them as columns, compresses them and appends
 * whole blocks. After the first error every call returns this error and writes nothing.
 */
#ifndef BLKREEL_TRACE_FILE_WRITER_H
#define BLKREEL_TRACE_FILE_WRITER_H

#include <sys/stat.h>

#include "trace/tables/anonymize.h"
#include "trace/rows.h"

struct trace_writer;

struct trace_writer_options {
	int zstd_level;			     /* 0: ZSTD_LEVEL_DEFAULT */
	uint64_t resolution_ns;		     /* 0 or 1: full; else times are rounded down to it */
	const struct anonymizer *anonymizer; /* every name is hashed with it; NULL: none is */
	bool must_be_new;		     /* never replace an existing file: -EEXIST */
	bool replace_at_close; /* replace an existing file only at the close with a summary */
	bool fast;	       /* a third less time, slightly larger blocks */
};

/*
 * Creates `path` as output_file__open() does and writes the head. Replaces an existing file only
 * when it is empty or a trace. `options` may be NULL. 0; an error of output_file__open(), for
 * output_file__explain(); other negative errno.
 */
int trace_writer__create(const char *path, const struct trace_host *host,
			 const struct trace_writer_options *options, struct trace_writer **writer);
/*
 * The same on an empty file that is open already, such as one in memory. Takes `fd` over, also on
 * failure. 0 or negative errno.
 */
int trace_writer__create_on(int fd, const struct trace_host *host,
			    const struct trace_writer_options *options,
			    struct trace_writer **writer);

/*
 * From now on other threads encode, compress and write. A slow disk delays the caller only when
 * some seconds of rows are pending. An error appears at a later call, at the latest at
 * trace_writer__close().
 */
void trace_writer__use_threads(struct trace_writer *w);

/*
 * Adds an entry to a table. The caller chooses its id, rising from 1. Strings are copied. 0;
 * -EINVAL: the id does not rise; -E2BIG: it is above the maximum; -ENAMETOOLONG: a path of
 * TRACE_PATH_MAX bytes or more; other negative errno. After the three errors that are named the
 * writer goes on.
 */
int trace_writer__add_device(struct trace_writer *w, const struct trace_device *device);
int trace_writer__add_task(struct trace_writer *w, const struct trace_task *task);
int trace_writer__add_file(struct trace_writer *w, const struct trace_file *file);
int trace_writer__add_cgroup(struct trace_writer *w, const struct trace_cgroup *cgroup);
int trace_writer__add_stack(struct trace_writer *w, const struct trace_stack *stack);
int trace_writer__add_tier(struct trace_writer *w, const struct trace_tier *tier);

/* Append a copy of a row. 0 or negative errno. */
int trace_writer__append_io(struct trace_writer *w, const struct io_row *row);
int trace_writer__append_cache(struct trace_writer *w, const struct cache_row *row);
int trace_writer__append_tick(struct trace_writer *w, const struct tick_row *row);
int trace_writer__append_hist(struct trace_writer *w, const struct hist_row *row);
int trace_writer__append_access(struct trace_writer *w, const struct access_row *row);
int trace_writer__append_wait(struct trace_writer *w, const struct wait_row *row);
int trace_writer__append_loss(struct trace_writer *w, const struct loss_row *row);

/* Writes the gathered entries and rows as (short) blocks, tables first. */
int trace_writer__flush(struct trace_writer *w);

uint64_t trace_writer__bytes(const struct trace_writer *w);   /* written so far */
uint64_t trace_writer__rows(const struct trace_writer *w);    /* of all kinds, appended so far */
uint64_t trace_writer__io_rows(const struct trace_writer *w); /* appended so far */

/*
 * Flushes, writes summary, index and end mark, syncs and closes. Always frees `w` (NULL is
 * allowed). `summary` NULL: closes the file without an end mark, as if the recorder had died. 0 or
 * negative errno.
 */
int trace_writer__close(struct trace_writer *w, const struct trace_summary *summary);

/* fstat(2) of the file. 0 or negative errno. */
int trace_writer__stat(const struct trace_writer *w, struct stat *file);

/* Closes it unfinished, and removes the file if `path`, of which it was created, still leads to it. */
void trace_writer__discard(struct trace_writer *w, const char *path);

#endif
