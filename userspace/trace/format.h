/* SPDX-License-Identifier: MIT */
/* The constants of the trace file, version 1. See docs/trace-format.md. */
#ifndef BLKREEL_TRACE_FORMAT_H
#define BLKREEL_TRACE_FORMAT_H

#include "trace/rows.h"

#define TRACE_MAGIC	  "\x89REEL\r\n\x1a"
#define TRACE_MAGIC_BYTES 8
#define TRACE_VERSION	  1
#define TRACE_HEAD_BYTES  32

#define TRACE_BLOCK_MAGIC	"RBLK"
#define TRACE_BLOCK_MAGIC_BYTES 4
#define TRACE_BLOCK_HEAD_BYTES	32

/* The highest ids in a file: they bound a reader's memory. */
#define TRACE_DEVICES_MAX 16384u
#define TRACE_TASKS_MAX	  (1u << 22)
#define TRACE_FILES_MAX	  (1u << 22)
#define TRACE_CGROUPS_MAX (1u << 20)
#define TRACE_TIERS_MAX	  256u
#define TRACE_STACKS_MAX  (1u << 16)

/* A reader refuses a header above these limits before it allocates anything. */
#define TRACE_BLOCK_ROWS_MAX  8192u
#define TRACE_BLOCK_BYTES_MAX (8u << 20)

enum block_kind {
	BLOCK_HOST = 1,
	BLOCK_TIERS = 2,
	BLOCK_DEVICES = 3,
	BLOCK_TASKS = 4,
	BLOCK_FILES = 5,
	BLOCK_CGROUPS = 6,
	BLOCK_SUMMARY = 7,
	BLOCK_INDEX = 8,
	BLOCK_END = 9,
	BLOCK_STACKS = 10,
	BLOCK_IO = 32,
	BLOCK_CACHE = 33,
	BLOCK_TICK = 34,
	BLOCK_LOSS = 35,
	BLOCK_HIST = 36,
	BLOCK_ACCESS = 37,
	BLOCK_WAIT = 38,
};

/* A reader may skip blocks of an unknown kind below this number, and must refuse the others. */
#define BLOCK_KIND_MANDATORY 128

enum block_compression {
	COMPRESSION_NONE = 0,
	COMPRESSION_ZSTD = 1,
};

/* The end block is not compressed and padded, so that it is the last 256 bytes of the file. */
#define TRACE_END_PAYLOAD_BYTES 224u

/* Offsets in a payload where bytes of another kind begin. */
#define PAYLOAD_CUTS_MAX 64

struct payload_cuts {
	unsigned int count;
	uint32_t at[PAYLOAD_CUTS_MAX]; /* rising */
};

static inline bool block_kind_is_rows(uint8_t kind)
{
	return kind >= BLOCK_IO && kind <= BLOCK_WAIT;
}

/* Host, tables and summary. */
static inline bool block_kind_is_table(uint8_t kind)
{
	return (kind >= BLOCK_HOST && kind <= BLOCK_SUMMARY) || kind == BLOCK_STACKS;
}

static inline enum row_kind block_row_kind(uint8_t kind)
{
	return (enum row_kind)(kind - BLOCK_IO);
}

static inline uint8_t row_block_kind(enum row_kind kind)
{
	return (uint8_t)(BLOCK_IO + kind);
}

#endif
