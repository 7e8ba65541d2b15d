/* SPDX-License-Identifier: MIT */
/* Turns gathered rows and table entries into blocks of a file: at once, or in a thread. */
#ifndef BLKREEL_TRACE_FILE_BLOCK_STAGE_H
#define BLKREEL_TRACE_FILE_BLOCK_STAGE_H

#include <jansson.h>

#include "trace/tables/meta.h"
#include "trace/file/output.h"
#include "trace/rows.h"

struct block_stage;

/*
 * Takes `output` over, also on failure. Times are multiples of `resolution_ns`. 0 or negative
 * errno.
 */
int block_stage__create(struct output *output, uint64_t resolution_ns, struct block_stage **stage);

/* To be called before the first rows: see columns__reuse_choices(). */
void block_stage__reuse_choices(struct block_stage *s);

/*
 * From now on a thread encodes and compresses, and another one writes. The caller waits when two
 * full blocks of rows or 8 MiB of compressed blocks are pending. If no thread can be started, the
 * caller does the work itself.
 */
void block_stage__use_threads(struct block_stage *s);

/* After the first error, which may belong to an earlier call, all functions return this error. */

/*
 * *rows holds `count` (1 to TRACE_BLOCK_ROWS_MAX) rows of the kind, in memory from malloc() for
 * TRACE_BLOCK_ROWS_MAX. *rows becomes the memory to gather the next rows in; NULL: allocate it.
 */
int block_stage__append_rows(struct block_stage *s, enum row_kind kind, void **rows,
			     uint32_t count);
/* Takes the reference over; NULL returns -ENOMEM. */
int block_stage__append_json(struct block_stage *s, enum block_kind kind, uint32_t rows,
			     json_t *json);
int block_stage__error(const struct block_stage *s);

uint64_t block_stage__bytes(const struct block_stage *s); /* written so far, in whole blocks */

/* fstat(2) of the file. 0 or negative errno. */
int block_stage__stat(const struct block_stage *s, struct stat *file);

/*
 * Finishes pending blocks. With `summary` (taken over; NULL: the file ends as if the recorder had
 * died) writes the index and the end mark with the counts of rows. Closes the file and frees. 0 or
 * the first error.
 */
int block_stage__close(struct block_stage *s, const uint64_t rows[ROW_KIND_COUNT], json_t *summary);

#endif
