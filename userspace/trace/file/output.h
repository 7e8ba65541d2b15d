/* SPDX-License-Identifier: MIT */
/*
 * The file of a writer: appends whole blocks. A block that cannot be written whole is cut off
 * again.
 */
#ifndef BLKREEL_TRACE_FILE_OUTPUT_H
#define BLKREEL_TRACE_FILE_OUTPUT_H

#include <stdbool.h>

#include <sys/stat.h>

#include "trace/file/block.h"

struct output;

/* The columns are coded before they are compressed, so the level has little effect. */
#define ZSTD_LEVEL_DEFAULT 1

/* Creates the file as trace_writer__create() does and writes its head. `level` is zstd's. */
int output__create(const char *path, int level, bool must_be_new, struct output **output);
/* The same, but an existing trace of that name stays until output__close() after output__keep(). */
int output__create_beside(const char *path, int level, struct output **output);
/* The same on an empty file that is open already. Takes `fd` over, also on failure. */
int output__create_on(int fd, int level, struct output **output);

/*
 * Appends one block with `bytes` bytes of `payload`, compressed when that is smaller. If the block
 * cannot be written whole, cuts the file back to the last block. `cuts` may be NULL. 0 or negative
 * errno.
 */
int output__append(struct output *o, enum block_kind kind, uint32_t rows, const uint8_t *payload,
		   size_t bytes, const struct payload_cuts *cuts);
/* The same, never compressed. */
int output__append_plain(struct output *o, enum block_kind kind, uint32_t rows,
			 const uint8_t *payload, size_t bytes);

/* Appends a block that is encoded already, header and payload, unchanged. */
int output__append_whole(struct output *o, const uint8_t *block, size_t bytes);

/*
 * From now on a thread writes; errors appear at a later block, or at the end. False: no thread can
 * be started, and the caller writes.
 */
bool output__write_behind(struct output *o);

uint64_t output__bytes(const struct output *o);	  /* appended; the offset of the next block */
uint64_t output__written(const struct output *o); /* of these, in the file */

/* fstat(2) of the file. 0 or negative errno. */
int output__stat(const struct output *o, struct stat *file);

/* Marks the file as a whole trace: output__close() may replace an older one with it. */
void output__keep(struct output *o);

/* Syncs when `sync` is set, closes and frees. 0 or negative errno. NULL is allowed. */
int output__close(struct output *o, bool sync);

#endif
