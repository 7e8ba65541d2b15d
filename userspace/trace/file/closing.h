/* SPDX-License-Identifier: MIT */
/* The end of a trace: writes and reads the blocks of the index and the end mark. */
#ifndef BLKREEL_TRACE_FILE_CLOSING_H
#define BLKREEL_TRACE_FILE_CLOSING_H

#include "trace/file/input.h"
#include "trace/tables/meta.h"
#include "trace/file/output.h"

#define CLOSING_INDEX_ENTRIES 4096u /* in one block */

/*
 * Each appends one block: 0 or negative errno. append_json() takes the reference over; NULL returns
 * -ENOMEM.
 */
int closing__append_json(struct output *o, enum block_kind kind, uint32_t rows, json_t *json);
int closing__append_index(struct output *o, const struct index_entry *entries, uint32_t count);
int closing__append_end(struct output *o, const struct end_mark *end);

/* Decodes the end mark from the payload of its block. 0; -EBADMSG; -ENOMEM. */
int closing__parse_end(const uint8_t *payload, size_t bytes, struct end_mark *end);

/*
 * Reads the end mark from the last bytes of the file and moves the offset of `in`. 0; -EBADMSG:
 * there is none; other negative errno.
 */
int closing__read_end(struct input *in, struct end_mark *end);

/* Walks through consecutive index blocks, one in memory at a time. The offset of `in` stays. */
struct index_walk {
	struct input *in; /* not owned */
	uint64_t offset;  /* of the next block */
	json_t *block;	  /* NULL: none is being read */
	size_t next;
};

/* Starts at the index block at `offset`; `in` must outlive the walk. */
void index_walk__start(struct index_walk *c, struct input *in, uint64_t offset);
/* 1: *entry is filled; 0: no index block follows; -EBADMSG; other negative errno. */
int index_walk__next(struct index_walk *c, struct index_entry *entry);
void index_walk__stop(struct index_walk *c);

#endif
