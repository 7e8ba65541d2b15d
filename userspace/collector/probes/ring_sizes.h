/* SPDX-License-Identifier: MIT */
/* How much memory the rings between the probes and the collector get. */
#ifndef BLKREEL_COLLECTOR_PROBES_RING_SIZES_H
#define BLKREEL_COLLECTOR_PROBES_RING_SIZES_H

#include <stdbool.h>
#include <stdint.h>

#define RINGS_MAX	256u
#define RINGS_BYTES_MAX (256ull << 20) /* all rings together, unless the user sets a size */

struct ring_sizes {
	unsigned int
		ring_count;  /* ring buffers, a power of two: one for each CPU, up to RINGS_MAX */
	uint64_t ring_bytes; /* bytes of each, a power of two */
	uint32_t slots; /* records per CPU in shared memory, a power of two; 0: no shared memory */
};

/* The sizes for `cpus` (at least 1). `requests`: there are records of requests, which go through
 * shared memory where possible. `bios`: there are records of bios, which never do. `wanted_bytes`
 * of each ring, a power of two; 0: 16 MiB, and less on large machines. */
struct ring_sizes ring_sizes(unsigned int cpus, bool requests, bool bios, uint64_t wanted_bytes);

#endif
