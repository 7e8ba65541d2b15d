/* SPDX-License-Identifier: MIT */
/*
 * Memory of the IOs: one arena with bytes that writes are taken from, one that reads go to. Nothing
 * is allocated while a replay runs, and nothing filled, unless each block is asked to be its own.
 */
#ifndef BLKREEL_REPLAY_ENGINE_BUFFERS_H
#define BLKREEL_REPLAY_ENGINE_BUFFERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#include "replay/source/source.h"

/* What is written at offset X is byte X modulo this of a stream that the seed decides. */
#define BUFFERS_PATTERN_BYTES (16ull << 20)

struct buffers;

/* What the bytes that writes write are like; all 0: the pattern as it is. */
struct buffers_content {
	uint32_t compressible_pct; /* 0 to 99: so much of each 512 bytes is zeroes */
	bool own;	    /* each block of 4 KiB is its own, which costs a copy per write */
	uint32_t dedup_pct; /* own: 0 to 100, so many of all addresses hold a copy instead */
	/* own: > 0: blocks of this length, at multiples of it, start with a stamp (stamp.h) */
	uint32_t stamped_bytes;
	uint64_t run; /* of the stamps */
};

/* Blocks that copies are taken from: so many different ones, at most, are in all copies. */
#define BUFFERS_COPIED_BLOCKS 64u
#define BUFFERS_BLOCK_BYTES   4096u

struct buffers_options {
	struct buffers_content content;
	uint32_t in_flight; /* slots; own: at most buffers__own_slots() */
	uint64_t seed;
	uint64_t longest_read_bytes;  /* 0: no reads */
	uint64_t longest_write_bytes; /* 0: no writes */
	/* Of several workers: whose pattern is used too, and outlives this; NULL: a new one. */
	const struct buffers *pattern;
	unsigned int workers;	  /* so many share the memory of reads; 0 is 1 */
	uint64_t first_own_block; /* own: that of others is another */
};

/* 0; -EINVAL: an IO above REPLAY_LONGEST_BYTES; -ENOMEM. */
int buffers__create(const struct buffers_options *options, struct buffers **buffers);
void buffers__free(struct buffers *b); /* NULL is allowed */

/* Where a read of slot `slot` goes. Slots share memory when there are very many long ones. */
void *buffers__read(const struct buffers *b, uint32_t slot);
/* What a write of slot `slot` writes; of the slot alone until it is asked for again. */
const void *buffers__write(struct buffers *b, const struct replay_io *io, uint32_t slot);

/* With content.own: how many writes of this length may be in flight, at least 1. */
uint32_t buffers__own_slots(uint64_t longest_write_bytes);

/* For registration: index 0 is of the reads, 1 of the writes; one that is not used is 1 page. */
const struct iovec *buffers__iovecs(const struct buffers *b, unsigned int *count);
#define BUFFERS_READ_INDEX  0
#define BUFFERS_WRITE_INDEX 1

/* The bytes of the pattern, for whoever checks what was written. `bytes` from `offset_bytes`. */
void buffers__pattern(uint64_t seed, uint64_t offset_bytes, void *into, size_t bytes);

#endif
