/* SPDX-License-Identifier: MIT */
/*
 * A source on top of another: omits ops that are not to be played, fits addresses to the
 * target and its blocks, and notes each of these changes in the IO's flags.
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

/* Writes that stand for a longer op, such as a discard, are pieces of this length. */
#define MAPPING_PIECE_BYTES (1ull << 20)

struct mapping_options {
	enum replay_fit fit;
	uint64_t source_bytes;		   /* REPLAY_FIT_SCALE: size of the recorded device, > 0 */
	const struct footprint *footprint; /* REPLAY_FIT_COMPACT: finished */
	uint64_t target_bytes;
	uint32_t block_bytes; /* of the target; >= 1 */
	bool unaligned_data;  /* reads and writes need no whole blocks (page cache) */
	uint64_t zone_bytes;  /* of the target; 0: it has no zones, and no REPLAY_ZONE comes */
	uint32_t skipped_ops; /* bits 1u << enum replay_op */
	struct atomic_units atomic; /* other atomic writes are written as plain ones */
	bool skips_atomic;	    /* or are left out */
	uint8_t instead
		[REPLAY_OP_COUNT]; /* enum replay_op: the op to issue; mostly the op itself */
};

/*
 * Maps one IO. Pure. 0; -ERANGE: the IO does not lie inside the target, or a read or write is
 * longer than it. A flush is not changed.
 */
int mapping__apply(const struct mapping_options *options, struct replay_io *io);

/* `below` must outlive the source; it is not freed with it. 0 or -ENOMEM. */
int mapping__create(struct replay_source *below, const struct mapping_options *options,
		    struct replay_source **source);

/* IOs left out since the last one that the source gave: those behind it, if it has ended. */
uint64_t mapping__left_out(const struct replay_source *source);

#endif
