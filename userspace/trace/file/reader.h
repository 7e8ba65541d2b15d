/* SPDX-License-Identifier: MIT */
/*
 * Reads a trace file block by block in bounded memory. Hostile input is expected: every length,
 * id and number is checked before it is used.
 */
#ifndef BLKREEL_TRACE_FILE_READER_H
#define BLKREEL_TRACE_FILE_READER_H

#include <stddef.h>

#include "trace/rows.h"

struct trace_reader;

/* How a file ended; known once trace_reader__next() has returned 0 or an error. */
enum trace_end {
	TRACE_END_UNKNOWN = 0, /* not read to the end yet */
	TRACE_END_CLEAN,       /* closed by its writer */
	TRACE_END_TORN,	       /* cut: the recorder was killed or the file was truncated */
	TRACE_END_DAMAGED,     /* a block does not match its checksum or cannot be decoded */
};

/*
 * 0; -EINVAL: not a trace; -EISDIR: a directory; -ENODATA: empty or cut inside the head;
 * -EPROTONOSUPPORT: made by a newer version; -EBADMSG: damaged head; other negative errno. *message
 * (`message` may be NULL) becomes a sentence without the file's name (static storage), or NULL when
 * the errno tells enough.
 */
int trace_reader__open(const char *path, struct trace_reader **reader, const char **message);
/* Reads only the first block, the host. As trace_reader__open(); -EBADMSG also for another block. */
int trace_reader__read_host(const char *path, struct trace_host *host);
void trace_reader__free(struct trace_reader *r); /* NULL is allowed */

/*
 * Treats the file as if it were cut after `bytes` bytes: for a file that a writer still appends to.
 * To be called before the first trace_reader__next().
 */
void trace_reader__limit(struct trace_reader *r, uint64_t bytes);

/*
 * Reads the next block of rows of a kind in `kinds` (bits 1 << enum row_kind). 1: *block is filled;
 * 0: the end, see trace_reader__end(); -EBADMSG: damaged, no more can be read; other negative
 * errno.
 */
int trace_reader__next(struct trace_reader *r, unsigned int kinds, struct row_block *block);

/*
 * From now on skips blocks without a row in the window (ns after the start of the recording, from
 * `from_ns` to before `to_ns`; 0 and UINT64_MAX: everything). In a file with an index only the
 * headers of these blocks are read, so damage inside them is not noticed. trace_reader__rows()
 * counts them. Blocks in the result may hold rows outside the window: the caller checks
 * (trace/row_time.h). An index that contradicts a block is ignored; if rows were given out before,
 * the file counts as damaged there. To be called before the first trace_reader__next() or after
 * trace_reader__rewind().
 */
void trace_reader__set_window(struct trace_reader *r, uint64_t from_ns, uint64_t to_ns);

/* Starts again at the first block; the tables read so far stay. 0 or negative errno. */
int trace_reader__rewind(struct trace_reader *r);

/* See enum trace_end. */
enum trace_end trace_reader__end(const struct trace_reader *r);
/* One sentence about the end of the file, "" when it was closed properly. */
const char *trace_reader__end_message(const struct trace_reader *r);

/* The size of the file when it was opened. */
uint64_t trace_reader__file_bytes(const struct trace_reader *r);
uint64_t trace_reader__rows(const struct trace_reader *r, enum row_kind kind); /* read so far */
uint32_t trace_reader__version(const struct trace_reader *r);

/* The content of the host block; owned by `r`. */
const struct trace_host *trace_reader__host(const struct trace_reader *r);
const struct trace_summary *trace_reader__summary(const struct trace_reader *r); /* NULL: none */

/* By id; NULL when there is no such entry (also for id 0). Tables grow while reading. */
const struct trace_device *trace_reader__device(const struct trace_reader *r, uint32_t id);
const struct trace_task *trace_reader__task(const struct trace_reader *r, uint32_t id);
const struct trace_file *trace_reader__file(const struct trace_reader *r, uint32_t id);
/* The id that stands for a file under all of its names: see struct trace_file. */
uint32_t trace_reader__first_id_of_file(const struct trace_reader *r, uint32_t id);
const struct trace_cgroup *trace_reader__cgroup(const struct trace_reader *r, uint32_t id);
const struct trace_stack *trace_reader__stack(const struct trace_reader *r, uint32_t id);
uint32_t trace_reader__devices(const struct trace_reader *r); /* highest id */
uint32_t trace_reader__tasks(const struct trace_reader *r);
uint32_t trace_reader__files(const struct trace_reader *r);
uint32_t trace_reader__cgroups(const struct trace_reader *r);
/* The i-th tier from 0, NULL after the last. */
const struct trace_tier *trace_reader__tier(const struct trace_reader *r, uint32_t i);

#endif
