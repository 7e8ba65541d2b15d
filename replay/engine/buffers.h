/* SPDX-License-Identifier: MIT */
/*
 * Memory of the IOs: one arena that writes are taken from, and one that reads go to. While a replay
 * runs nothing is allocated, and nothing is filled unless each block has content of its own.
 */
#ifndef BLKREEL_REPLAY_ENGINE_BUFFERS_H
#define BLKREEL_REPLAY_ENGINE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "replay/source/source.h"

/*
 * A write at offset X writes the bytes of a pseudo-random stream from X modulo this length; the
 * seed decides the stream.
 */
#define BUFFERS_PATTERN_BYTES (16ull << 20)

struct buffers;

/* The content of writes; all 0: the pattern unchanged. */
struct buffers_content {
	uint32_t compressible_pct; /* 0 to 99 % of each 512 bytes are zeroes */
	bool own; /* each block of 4 KiB differs from all others; costs a copy per write */
	uint32_t dedup_pct; /* own: 0 to 100 % of the addresses hold a copy of another block */
	/* own: > 0: blocks of this length start with a stamp (stamp.h) */
	uint32_t stamped_bytes;
	uint64_t run; /* of the stamps */
};

/* Copies are taken from this many different blocks. */
#define BUFFERS_COPIED_BLOCKS 64u
#define BUFFERS_BLOCK_BYTES   4096u

struct buffers_options {
	struct buffers_content content;
	uint32_t in_flight; /* slots; own: at most buffers__own_slots() */
	uint64_t seed;
	uint64_t longest_read_bytes;  /* 0: no reads */
	uint64_t longest_write_bytes; /* 0: no writes */
	/*
	 * Of several workers: the one whose pattern is used, and which outlives this; NULL: make a
	 * pattern.
	 */
	const struct buffers *pattern;
	unsigned int workers;	  /* workers that share the memory of reads; 0 is 1 */
	uint64_t first_own_block; /* own: differs for each worker */
};

/* 0; -EINVAL: an IO is longer than REPLAY_LONGEST_BYTES; -ENOMEM. */
int buffers__create(const struct buffers_options *options, struct buffers **buffers);
void buffers__free(struct buffers *b); /* NULL is allowed */

/* The memory for a read of this slot. Slots share memory when there are very many long ones. */
void *buffers__read(const struct buffers *b, uint32_t slot);
/* The data for a write of this slot; it belongs to the slot until the next call. */
const void *buffers__write(struct buffers *b, const struct replay_io *io, uint32_t slot);

/*
 * The memory of IOs is physically contiguous in runs of at least this length, which begin at its
 * multiples: a huge page, or a page where the kernel has no huge pages to give.
 */
uint64_t buffers__run_bytes(const struct buffers *b);

/* With content.own: how many writes of this length may be in flight, at least 1. */
uint32_t buffers__own_slots(uint64_t longest_write_bytes);

/*
 * The memory to register with a ring: index 0 for reads, 1 for writes. Unused memory has one page.
 */
const struct iovec *buffers__iovecs(const struct buffers *b, unsigned int *count);
#define BUFFERS_READ_INDEX  0
#define BUFFERS_WRITE_INDEX 1

/* Fills `into` with `bytes` bytes of the pattern from `offset_bytes`, to check what was written. */
void buffers__pattern(uint64_t seed, uint64_t offset_bytes, void *into, size_t bytes);

#endif
