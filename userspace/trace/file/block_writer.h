/* SPDX-License-Identifier: MIT */
/* Writes rows and table entries as blocks of a file, then an index and an end mark. */
#ifndef BLKREEL_TRACE_FILE_BLOCK_WRITER_H
#define BLKREEL_TRACE_FILE_BLOCK_WRITER_H

#include <jansson.h>

#include "trace/tables/meta.h"
#include "trace/file/output.h"
#include "trace/rows.h"

struct block_writer;

/*
 * Takes `output` over, also on failure. Times are multiples of `resolution_ns`. 0 or negative
 * errno.
 */
int block_writer__create(struct output *output, uint64_t resolution_ns,
			 struct block_writer **writer);
/* Encodes faster, into slightly larger blocks: see columns__reuse_choices(). */
void block_writer__reuse_choices(struct block_writer *b);
struct output *block_writer__output(struct block_writer *b);

/*
 * `count` is 1 to TRACE_BLOCK_ROWS_MAX. 0 or negative errno; after an error only close() may
 * follow.
 */
int block_writer__rows(struct block_writer *b, enum row_kind kind, const void *rows,
		       uint32_t count);
/* Takes the reference over; NULL returns -ENOMEM. */
int block_writer__json(struct block_writer *b, enum block_kind kind, uint32_t rows, json_t *json);
/* Writes index and end mark; `rows` are the counts of the whole file. */
int block_writer__end(struct block_writer *b, const uint64_t rows[ROW_KIND_COUNT]);

/* Closes the file and frees; syncs when `sync` is set. 0 or negative errno. NULL is allowed. */
int block_writer__close(struct block_writer *b, bool sync);

#endif
