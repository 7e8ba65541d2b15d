/* SPDX-License-Identifier: MIT */
/* The file of a reader: reads, checks and decompresses one block after the other. */
#ifndef BLKREEL_TRACE_FILE_INPUT_H
#define BLKREEL_TRACE_FILE_INPUT_H

#include "trace/file/block.h"

struct input;

/* Returns and fills *message as trace_reader__open() does. */
int input__open(const char *path, struct input **input, const char **message);
/* The same, but opens a file with a damaged head, too, unless it may be of a newer version. */
int input__open_damaged(const char *path, struct input **input, const char **message);
void input__free(struct input *in);
/* Treats the file as if it ended after `bytes` bytes; no effect when it is shorter. */
void input__limit(struct input *in, uint64_t bytes);

enum input_state {
	INPUT_BLOCK,   /* *head is the block at input__offset(), its payload verified */
	INPUT_NO_MORE, /* the file ends where a block would start */
	INPUT_CUT,     /* the file ends inside a block */
	INPUT_DAMAGED, /* see input__reason() */
	INPUT_FAILED,  /* the system could not read: see input__error() */
};

/* Reads and verifies the block at the current offset. The offset stays. */
enum input_state input__read(struct input *in, struct block_head *head);

/* The same without the payload: verifies the header, and that the file holds the whole block. */
enum input_state input__peek(struct input *in, struct block_head *head);

/* The header and payload of the block that was read last, as stored. Valid until the next call. */
const uint8_t *input__block(const struct input *in);

/*
 * The decompressed payload of the block that was read last. NULL: see input__reason() or
 * input__error(). Valid until the next call.
 */
const uint8_t *input__payload(struct input *in, const struct block_head *head);

void input__skip(struct input *in, const struct block_head *head); /* to the next block */
void input__rewind(struct input *in);				   /* to the first block */
void input__seek(struct input *in, uint64_t offset); /* any offset; the next read checks it */

/*
 * Moves to the next offset behind the current one where a block may start. 1; 0: the end of the
 * file; negative errno.
 */
int input__find(struct input *in);

bool input__is(const struct input *in, const char *path); /* the same file, by device and inode */
int input__head(const struct input *in, uint8_t head[TRACE_HEAD_BYTES]); /* 0 or -errno */
bool input__head_damaged(const struct input *in);

/* The offset of the next block. */
uint64_t input__offset(const struct input *in);
uint64_t input__bytes(const struct input *in); /* of the file, when it was opened */
uint32_t input__version(const struct input *in);
const char *input__reason(const struct input *in); /* static storage */
int input__error(const struct input *in);	   /* 0 or negative errno */

#endif
