/* SPDX-License-Identifier: MIT */
/*
 * Atomic writes, which the device does as a whole or not at all (RWF_ATOMIC): which ones a target
 * takes, and which ones a source has.
 */
#ifndef BLKREEL_REPLAY_SOURCE_ATOMIC_H
#define BLKREEL_REPLAY_SOURCE_ATOMIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How long an atomic write may be; max_bytes 0: the target has none. */
struct atomic_units {
	uint32_t min_bytes, max_bytes;
};

/*
 * Reads the units of an open block device or file; none if the kernel does not tell (before Linux
 * 6.11).
 */
void atomic_units__read(int fd, struct atomic_units *units);

/*
 * True when the kernel takes such a write: its length is a power of two within the units, and its
 * offset a multiple of the length.
 */
bool atomic_units__take(const struct atomic_units *units, uint64_t offset_bytes,
			uint64_t length_bytes);

/* The atomic writes of a source. All zero: none yet. */
struct atomic_survey {
	uint64_t ios;
	uint64_t shortest_bytes, longest_bytes;
	uint64_t
		uneven; /* no target takes them: the kernel merged two, or a partition moved them */
};

/* Counts an atomic write. */
void atomic_survey__add(struct atomic_survey *s, uint64_t offset_bytes, uint64_t length_bytes);

/* True when the units take all of them; otherwise `why` gets half a sentence. */
bool atomic_survey__fits(const struct atomic_survey *s, const struct atomic_units *units, char *why,
			 size_t size);

#endif
