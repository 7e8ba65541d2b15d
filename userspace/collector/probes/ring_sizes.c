// SPDX-License-Identifier: MIT
#include "collector/probes/ring_sizes.h"

#include "bpf/event.h"
#include "collector/probes/cpu_rings.h"

#define BYTES_DEFAULT (16ull << 20)
#define BYTES_MIN     (64ull << 10)
#define OTHERS_PART   4 /* the ring buffers get this fraction of a CPU's bytes: a power of two */

static struct ring_sizes sizes_of(unsigned int cpus, bool requests, bool bios, uint64_t bytes)
{
	struct ring_sizes sizes = {.ring_count = 1, .ring_bytes = bytes};

	while (sizes.ring_count < cpus && sizes.ring_count < RINGS_MAX)
		sizes.ring_count *= 2;
	sizes.slots = requests ? cpu_rings__slots(cpus, bytes) : 0;
	/* The ring buffers then carry only names, and records of probes that interrupt a probe. */
	if (sizes.slots && !bios)
		sizes.ring_bytes /= OTHERS_PART;
	return sizes;
}

static uint64_t all_bytes(const struct ring_sizes *sizes, unsigned int cpus)
{
	return sizes->ring_count * sizes->ring_bytes +
	       (uint64_t)cpus * sizes->slots * sizeof(struct io_event);
}

struct ring_sizes ring_sizes(unsigned int cpus, bool requests, bool bios, uint64_t wanted_bytes)
{
	uint64_t bytes = BYTES_DEFAULT;
	struct ring_sizes sizes;

	if (wanted_bytes)
		return sizes_of(cpus, requests, true, wanted_bytes);
	sizes = sizes_of(cpus, requests, bios, bytes);
	while (all_bytes(&sizes, cpus) > RINGS_BYTES_MAX && bytes > BYTES_MIN) {
		bytes /= 2;
		sizes = sizes_of(cpus, requests, bios, bytes);
	}
	return sizes;
}
