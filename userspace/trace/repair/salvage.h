/* SPDX-License-Identifier: MIT */
/*
 * The good blocks of a file that may be damaged. A block is good when its header, its checksums
 * and all that it holds are right; what lies between two good blocks is stepped over.
 */
#ifndef BLKREEL_TRACE_REPAIR_SALVAGE_H
#define BLKREEL_TRACE_REPAIR_SALVAGE_H

#include "trace/file/input.h"
#include "trace/tables/meta.h"
#include "trace/tables/tables.h"

struct salvage;

/* Bytes that are no good block, and what is known of them. */
struct gap {
	uint64_t offset, bytes; /* bytes 0: there is none */
	uint64_t rows;		/* of row blocks whose header is right */
	unsigned int tables;	/* bits 1 << enum block_kind: metadata whose header is right */
	bool unknown;		/* not every byte belongs to a block whose header is right */
};

struct salvaged {
	struct gap before; /* between the block before and this one */
	uint64_t offset;
	uint64_t bytes; /* header and payload: those of input__block() */
	struct block_head head;
	uint64_t first_ns, last_ns; /* row blocks: as in the index */
	uint32_t started_before;    /* io rows with IO_STARTED_BEFORE */
	struct end_mark end;	    /* BLOCK_END */
};

/* `in` stays the caller's. NULL: no memory. */
struct salvage *salvage__new(struct input *in);
void salvage__free(struct salvage *s); /* NULL is allowed */

/*
 * The next good block: 1; 0: there is none, block->before is what the file ends with;
 * -EPROTONOSUPPORT: a block that only a newer version understands; other negative errno.
 */
int salvage__next(struct salvage *s, struct salvaged *block);

/* Starts again at the first block. */
void salvage__rewind(struct salvage *s);

/* What the metadata so far says. */
const struct tables *salvage__tables(const struct salvage *s);

#endif
