/* SPDX-License-Identifier: MIT */
/* How much a device takes in one IO: the kernel splits what is longer. */
#ifndef BLKREEL_REPLAY_TARGET_IO_LIMITS_H
#define BLKREEL_REPLAY_TARGET_IO_LIMITS_H

#include <stdint.h>
#include <sys/types.h>

#include "replay/target/safety.h"

/* The limits of a queue; 0: not known. */
struct io_limits {
	uint64_t io_bytes;	/* of one IO (max_sectors_kb) */
	uint64_t segments;	/* pieces of memory in one IO (max_segments) */
	uint64_t segment_bytes; /* of one piece of memory (max_segment_size) */
};

/* Reads the limits of a device, or of the disk that it is a partition of, from sysfs. */
void io_limits__read(const struct safety_view *view, dev_t device, struct io_limits *limits);

/*
 * The longest IO in bytes that is not split, if its memory is contiguous in runs of `run_bytes`
 * (> 0); 0: not known.
 */
uint64_t io_limits__whole_bytes(const struct io_limits *limits, uint64_t run_bytes);

#endif
