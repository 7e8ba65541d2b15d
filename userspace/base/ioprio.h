/* SPDX-License-Identifier: MIT */
/* The priority of a request as ioprio_set(2) numbers it, and its text. */
#ifndef BLKREEL_BASE_IOPRIO_H
#define BLKREEL_BASE_IOPRIO_H

#include <stdbool.h>
#include <stdint.h>

#define IOPRIO_TEXT_MAX 32

enum io_priority_class {
	IO_CLASS_NONE = 0,
	IO_CLASS_REALTIME,
	IO_CLASS_BEST_EFFORT,
	IO_CLASS_IDLE,
};

static inline uint16_t ioprio_make(unsigned int class, unsigned int level)
{
	return (uint16_t)(class << 13 | level);
}

static inline unsigned int ioprio_class(uint16_t ioprio)
{
	return ioprio >> 13;
}

/*
 * "rt/4", "be/0", "idle/0", "none/1" and the like, with a hint "rt/4/1"; "" for 0. `text` holds
 * IOPRIO_TEXT_MAX bytes and is returned.
 */
const char *ioprio_text(uint16_t ioprio, char *text);

/* Parses `bytes` bytes of text, which need no NUL at the end. False: it is no priority. */
bool ioprio_from_text(const char *text, uint64_t bytes, uint16_t *ioprio);

/* The effective priority: a task without a priority has best effort 4, and kernels report it so. */
static inline uint16_t ioprio_effective(uint16_t ioprio)
{
	return ioprio_class(ioprio) == IO_CLASS_NONE ? ioprio_make(IO_CLASS_BEST_EFFORT, 4)
						     : ioprio;
}

#endif
