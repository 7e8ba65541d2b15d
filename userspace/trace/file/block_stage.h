/* SPDX-License-Identifier: MIT */
/* Gathered rows and table entries become blocks of a file: at once, or in a thread of their own. */
#ifndef BLKREEL_TRACE_FILE_BLOCK_STAGE_H
#define BLKREEL_TRACE_FILE_BLOCK_STAGE_H

#include <jansson.h>

#include "trace/tables/meta.h"
#include "trace/file/output.h"
#include "trace/rows.h"

struct block_stage;

/* `output` is the stage's, whatever is returned. Times are multiples of `resolution_ns`. 0 or
 * negative errno. */
int block_stage__create(struct output *output, uint64_t resolution_ns, struct block_stage **stage);

/* Before the first rows: columns__reuse_choices(). */
void block_stage__reuse_choices(struct block_stage *s);

/*
 * From now on a thread encodes and compresses, and another one writes. Up to two full blocks of rows
 * and 8 MiB of compressed ones wait for them; then the caller does. Where no thread can be had all is
 * as before.
 */
void block_stage__go_behind(struct block_stage *s);

/* After the first error, which may be of something appended earlier, all return it. */

/* `rows` holds `count` (1 to TRACE_BLOCK_ROWS_MAX) rows of the kind and was allocated by malloc() for
 * TRACE_BLOCK_ROWS_MAX. *rows becomes where to gather next; NULL: to be allocated. */
int block_stage__append_rows(struct block_stage *s, enum row_kind kind, void **rows,
			     uint32_t count);
/* Takes the reference; NULL is -ENOMEM. */
int block_stage__append_json(struct block_stage *s, enum block_kind kind, uint32_t rows,
			     json_t *json);
int block_stage__error(const struct block_stage *s);

uint64_t block_stage__bytes(const struct block_stage *s); /* written by now, of whole blocks */

/*
 * Finishes what was appended; with `summary` (taken; NULL: as if the recorder had died) the index and
 * the end mark with the numbers of rows. Closes the file and frees. 0 or the first error.
 */
int block_stage__close(struct block_stage *s, const uint64_t rows[ROW_KIND_COUNT], json_t *summary);

#endif
