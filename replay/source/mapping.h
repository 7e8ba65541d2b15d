/* SPDX-License-Identifier: MIT */
/*
 * A source on top of another: leaves out ops that are not wanted, puts addresses into the target
 * and on its blocks, and counts each of these changes.
 */
#ifndef BLKREEL_REPLAY_SOURCE_MAPPING_H
#define BLKREEL_REPLAY_SOURCE_MAPPING_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/source/atomic.h"
#include "replay/source/footprint.h"
#include "replay/source/source.h"

enum replay_fit {
	REPLAY_FIT_NONE = 0, /* addresses as they are */
	REPLAY_FIT_WRAP,     /* modulo the size of the target */
	REPLAY_FIT_SCALE,    /* in proportion to the sizes of source and target */
	REPLAY_FIT_COMPACT,  /* what no IO touches is left out */
};

struct mapping_options {
	enum replay_fit fit;
	uint64_t source_bytes;		   /* REPLAY_FIT_SCALE: size of the recorded device, > 0 */
	const struct footprint *footprint; /* REPLAY_FIT_COMPACT: finished */
	uint64_t target_bytes;
	uint32_t block_bytes; /* of the target; >= 1 */
	bool unaligned_data;  /* reads and writes need no whole blocks: through the page cache */
	uint64_t zone_bytes;  /* the same; 0: it has no zones, REPLAY_ZONE is not asked for */
	uint32_t skipped_ops; /* bits 1u << enum replay_op */
	struct atomic_units atomic; /* an atomic write beyond them is written as others are */
	bool skips_atomic;	    /* or left out */
	uint8_t instead
		[REPLAY_OP_COUNT]; /* enum replay_op: what is asked for; mostly the op itself */
};

struct mapping_counts {
	uint64_t aligned; /* widened to whole blocks of the target */
	uint64_t wrapped; /* moved because they lay, in part or whole, behind the target's end */
	uint64_t clipped; /* discards and write-zeroes cut to the target's size */
	uint64_t atomic;  /* atomic writes that go as such */
	uint64_t atomic_emulated, atomic_skipped;
	uint64_t skipped[REPLAY_OP_COUNT];
	uint64_t emulated[REPLAY_OP_COUNT]; /* by the op of the source */
};

/*
 * Pure. 0; -ERANGE: the IO does not lie inside the target, or a read or write is longer than it.
 * A flush is left alone.
 */
int mapping__apply(const struct mapping_options *options, struct replay_io *io,
		   struct mapping_counts *counts);

/* `below` and `counts` must outlive the source; `below` is not freed with it. 0 or -ENOMEM. */
int mapping__create(struct replay_source *below, const struct mapping_options *options,
		    struct mapping_counts *counts, struct replay_source **source);

#endif
