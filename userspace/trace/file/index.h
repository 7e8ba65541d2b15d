/* SPDX-License-Identifier: MIT */
/*
 * A cursor over the index at the end of a file, moved on at each row block. The index only tells
 * which blocks may be skipped: an entry counts only when it agrees with the header of its block.
 */
#ifndef BLKREEL_TRACE_FILE_INDEX_H
#define BLKREEL_TRACE_FILE_INDEX_H

#include "trace/file/input.h"
#include "trace/tables/meta.h"

struct index_cursor;

/*
 * Returns a cursor at the first entry of the index that the end block points to. NULL: there is no
 * index (the file was cut), it cannot be read, or no memory. Holds one index block at a time. Keeps
 * the offset of `in`, but overwrites the block that `in` read last.
 */
struct index_cursor *index_cursor__open(struct input *in);
void index_cursor__free(struct index_cursor *c); /* NULL is allowed */

/*
 * Returns the entry of the next row block, whose header at the current offset of the input is
 * `head`, and moves the cursor on. NULL: the index is over, cannot be read, or contradicts the
 * block.
 */
const struct index_entry *index_cursor__next(struct index_cursor *c, const struct block_head *head);

#endif
