/* SPDX-License-Identifier: MIT */
/*
 * The index at the end of a file, followed entry by entry while its row blocks are passed. It only
 * ever says what need not be read: an entry counts when it agrees with its block's header.
 */
#ifndef BLKREEL_TRACE_FILE_INDEX_H
#define BLKREEL_TRACE_FILE_INDEX_H

#include "trace/file/input.h"
#include "trace/tables/meta.h"

struct index_cursor;

/*
 * At the first entry of the index that the end block points to. NULL: there is none (a file
 * that was cut), it cannot be read, or no memory. One index block at a time is held. The offset of
 * `in` stays; what it read last does not.
 */
struct index_cursor *index_cursor__open(struct input *in);
void index_cursor__free(struct index_cursor *c); /* NULL is allowed */

/*
 * The entry of the next row block, whose header at the current offset of the input is `head`; the
 * cursor moves on. NULL: the index is over, cannot be read, or says something else of the block.
 */
const struct index_entry *index_cursor__next(struct index_cursor *c, const struct block_head *head);

#endif
