/* SPDX-License-Identifier: MIT */
/* One event of a bio or a request, as in blktrace and blkparse. */
#ifndef BLKREEL_EXCHANGE_EVENTS_BLOCK_EVENT_H
#define BLKREEL_EXCHANGE_EVENTS_BLOCK_EVENT_H

#include <stdint.h>

#include "trace/rows.h"

/* The letters that blkparse prints, without those that concern no single IO. */
enum block_action {
	BLOCK_NOTHING = 0,
	BLOCK_QUEUE = 'Q',	 /* a bio was submitted */
	BLOCK_GET_REQUEST = 'G', /* export only */
	BLOCK_BACK_MERGE = 'M',
	BLOCK_FRONT_MERGE = 'F',
	BLOCK_ISSUE = 'D',
	BLOCK_REQUEUE = 'R',
	BLOCK_COMPLETE = 'C',
	BLOCK_SPLIT = 'X', /* other_sector: start of the second part */
	BLOCK_REMAP = 'A', /* other_device, other_sector: the origin */
};

struct block_event {
	uint64_t time_ns;
	uint64_t sector, bytes;
	uint64_t other_sector;
	uint32_t device, other_device; /* block_device() */
	uint32_t pid;
	uint32_t task; /* table id, import only */
	uint32_t flags;
	uint32_t sequence; /* export only */
	int32_t error;	   /* 0 or negative errno */
	uint16_t cpu;
	uint8_t op;
	uint8_t action; /* enum block_action */
};

/* Device numbers as in the kernel and in blktrace. */
#define BLOCK_MINOR_BITS 20
#define BLOCK_MAJOR_MAX	 0xfffu
#define BLOCK_MINOR_MAX	 0xfffffu

static inline uint32_t block_device(uint32_t major, uint32_t minor)
{
	return major << BLOCK_MINOR_BITS | minor;
}

static inline uint32_t block_major(uint32_t device)
{
	return device >> BLOCK_MINOR_BITS;
}

static inline uint32_t block_minor(uint32_t device)
{
	return device & BLOCK_MINOR_MAX;
}

/*
 * The error of a completion: the kernel stores a negative errno in 16 unsigned bits, older kernels
 * a positive one.
 */
static inline int32_t block_error(uint16_t stored)
{
	int32_t error = (int16_t)stored;

	return error > 0 ? -error : error;
}

#endif
