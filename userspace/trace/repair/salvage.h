/* SPDX-License-Identifier: MIT */
/*
 * Finds the good blocks of a file that may be damaged. A block is good when its header, its
 * checksums and its content are right. Bytes between two good blocks are skipped.
 */
#ifndef BLKREEL_TRACE_REPAIR_SALVAGE_H
#define BLKREEL_TRACE_REPAIR_SALVAGE_H

#include "trace/file/input.h"
#include "trace/tables/meta.h"
#include "trace/tables/tables.h"

struct salvage;

/* Bytes that are no good block, and their known content. */
struct gap {
	uint64_t offset, bytes; /* bytes 0: there is none */
	uint64_t rows;		/* of row blocks whose header is right */
	unsigned int tables; /* bits 1 << enum block_kind: metadata blocks whose header is right */
	bool unknown;	     /* not every byte belongs to a block whose header is right */
};

struct salvaged {
	struct gap before; /* between the block before and this one */
	uint64_t offset;
	uint64_t bytes; /* header and payload, see input__block() */
	struct block_head head;
	uint64_t first_ns, last_ns; /* row blocks: as in the index */
	uint32_t started_before;    /* io rows with IO_STARTED_BEFORE */
	struct end_mark end;	    /* BLOCK_END */
};

/* `in` stays the caller's. NULL: no memory. */
struct salvage *salvage__new(struct input *in);
void salvage__free(struct salvage *s); /* NULL is allowed */

/*
 * Finds the next good block. 1; 0: there is none, block->before is the gap at the end of the file;
 * -EPROTONOSUPPORT: a block that only a newer version understands; other negative errno.
 */
int salvage__next(struct salvage *s, struct salvaged *block);

/* Starts again at the first block. */
void salvage__rewind(struct salvage *s);

/* The metadata so far. */
const struct tables *salvage__tables(const struct salvage *s);

#endif
