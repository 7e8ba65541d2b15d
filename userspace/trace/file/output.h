/* SPDX-License-Identifier: MIT */
/* The file under a writer: whole blocks are appended, nothing else ever stays in it. */
#ifndef BLKREEL_TRACE_FILE_OUTPUT_H
#define BLKREEL_TRACE_FILE_OUTPUT_H

#include <stdbool.h>

#include "trace/file/block.h"

struct output;

/* The columns are coded before they are compressed, so that the level hardly matters. */
#define ZSTD_LEVEL_DEFAULT 1

/* As trace_writer__create(); `level` is zstd's. The head of the file is written. */
int output__create(const char *path, int level, bool must_be_new, struct output **output);
/* The same, but a trace of that name stays until output__close() when output__keep() was called. */
int output__create_whole(const char *path, int level, struct output **output);
/* The same on an empty file that is open already; `fd` is the output's, whatever is returned. */
int output__create_on(int fd, int level, struct output **output);

/*
 * Appends one block of `bytes` raw bytes of `payload`, compressed where that is smaller. When it
 * cannot be written whole, the file is cut back to the last block. `cuts` may be NULL. 0 or
 * negative errno.
 */
int output__append(struct output *o, enum block_kind kind, uint32_t rows, const uint8_t *payload,
		   size_t bytes, const struct payload_cuts *cuts);
/* The same, never compressed. */
int output__append_plain(struct output *o, enum block_kind kind, uint32_t rows,
			 const uint8_t *payload, size_t bytes);

/* The same of a block that is stored already: header and payload, as they are. */
int output__append_whole(struct output *o, const uint8_t *block, size_t bytes);

/* From now on a thread writes; errors come with a later block, or at the end. False: no thread can be
 * had, and blocks are written at once as before. */
bool output__write_behind(struct output *o);

uint64_t output__bytes(const struct output *o);	  /* appended, which is the next offset */
uint64_t output__written(const struct output *o); /* of them in the file */

/* What is appended is a whole trace, which may take the place of an older one when it is closed. */
void output__keep(struct output *o);

/* Syncs when `sync` is set, closes and frees. 0 or negative errno. NULL is allowed. */
int output__close(struct output *o, bool sync);

#endif
