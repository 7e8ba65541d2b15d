/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace file: rows are gathered by kind, encoded as columns, compressed and appended as
 * whole blocks. After the first error every call returns that error and nothing more is written.
 */
#ifndef BLKREEL_TRACE_FILE_WRITER_H
#define BLKREEL_TRACE_FILE_WRITER_H

#include "trace/tables/anonymize.h"
#include "trace/rows.h"

struct trace_writer;

struct trace_writer_options {
	int zstd_level;			     /* 0: ZSTD_LEVEL_DEFAULT */
	uint64_t resolution_ns;		     /* 0 or 1: full; else times are rounded down to it */
	const struct anonymizer *anonymizer; /* every name is hashed with it; NULL: none is */
	bool must_be_new;		     /* an existing file is never replaced: -EEXIST */
	bool when_whole; /* one stays until the trace is closed with a summary; else nothing is left */
	bool fast;	 /* a third less time for blocks that are hardly larger */
};

/*
 * Creates `path` as output_file__open() does and writes the head. An existing file is replaced
 * only when it is empty or a trace itself. `options` may be NULL.
 * 0; what output_file__open() returns, for output_file__explain(); other negative errno.
 */
int trace_writer__create(const char *path, const struct trace_host *host,
			 const struct trace_writer_options *options, struct trace_writer **writer);
/* The same on an empty file that is open already, such as one in memory; `fd` is the writer's,
 * whatever is returned. 0 or negative errno. */
int trace_writer__create_on(int fd, const struct trace_host *host,
			    const struct trace_writer_options *options,
			    struct trace_writer **writer);

/*
 * From now on other threads encode, compress and write, and a slow disk holds up nobody until some
 * seconds of rows wait. An error comes with a later call, at the latest with that which closes.
 */
void trace_writer__go_behind(struct trace_writer *w);

/*
 * Tables: the entry's id is the caller's, rising from 1. Strings are copied. -EINVAL: the id does
 * not rise, -E2BIG: it is above the maximum, -ENAMETOOLONG: a path of TRACE_PATH_MAX bytes or
 * more; the writer goes on after these three.
 */
int trace_writer__add_device(struct trace_writer *w, const struct trace_device *device);
int trace_writer__add_task(struct trace_writer *w, const struct trace_task *task);
int trace_writer__add_file(struct trace_writer *w, const struct trace_file *file);
int trace_writer__add_cgroup(struct trace_writer *w, const struct trace_cgroup *cgroup);
int trace_writer__add_tier(struct trace_writer *w, const struct trace_tier *tier);

int trace_writer__append_io(struct trace_writer *w, const struct io_row *row);
int trace_writer__append_cache(struct trace_writer *w, const struct cache_row *row);
int trace_writer__append_tick(struct trace_writer *w, const struct tick_row *row);
int trace_writer__append_hist(struct trace_writer *w, const struct hist_row *row);
int trace_writer__append_access(struct trace_writer *w, const struct access_row *row);
int trace_writer__append_loss(struct trace_writer *w, const struct loss_row *row);

/* Writes what is gathered as (short) blocks, tables first. */
int trace_writer__flush(struct trace_writer *w);

uint64_t trace_writer__bytes(const struct trace_writer *w);   /* written so far */
uint64_t trace_writer__io_rows(const struct trace_writer *w); /* appended so far */

/*
 * Flushes, writes summary, index and end mark, syncs and closes; frees `w` whatever happens.
 * `summary` NULL closes the file without an end mark, as if the recorder had died. `w` NULL is allowed.
 */
int trace_writer__close(struct trace_writer *w, const struct trace_summary *summary);

#endif
