/* SPDX-License-Identifier: MIT */
/*
 * The header that a replay with --stamp puts at the start of each block that it writes, so that
 * whoever reads the block later knows which write it is of, where it belongs, and whether it is
 * whole. Little-endian:
 *
 *  0  8  "blkreelW"
 *  8  8  run: a random number of the replay
 * 16  8  offset of the block in the target, in bytes
 * 24  8  number of the write: of the IOs that change data, from 1, in the order of the source
 * 32  8  offset of the write's first block, in bytes
 * 40  8  length of the write in bytes
 * 48  4  CRC-32 of the whole block with these four bytes as 0
 * 52  4  0
 */
#ifndef BLKREEL_REPLAY_VERIFY_STAMP_H
#define BLKREEL_REPLAY_VERIFY_STAMP_H

#include <stddef.h>
#include <stdint.h>

/* No block is shorter. The bytes behind the header are those of a write without stamps. */
#define STAMP_BLOCK_MIN_BYTES 512u

struct stamp {
	uint64_t run;
	uint64_t offset_bytes;
	uint64_t number;
	uint64_t io_offset_bytes, io_length_bytes;
};

enum stamp_found {
	STAMP_FOUND_NONE = 0, /* no header */
	STAMP_FOUND_BROKEN,   /* the checksum is wrong, *stamp is not filled */
	STAMP_FOUND_WHOLE,
};

/* Writes the header; the other bytes of `block` are in place. */
void stamp__put(const struct stamp *stamp, uint8_t *block, size_t block_bytes);
enum stamp_found stamp__get(const uint8_t *block, size_t block_bytes, struct stamp *stamp);

#endif
