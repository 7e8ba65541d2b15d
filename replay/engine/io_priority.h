/* SPDX-License-Identifier: MIT */
/* The IO priority that a read or write is replayed with. */
#ifndef BLKREEL_REPLAY_ENGINE_IO_PRIORITY_H
#define BLKREEL_REPLAY_ENGINE_IO_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/source/source.h"
#include "base/ioprio.h"

struct io_priority {
	bool asked; /* whether this thread may have the realtime class */
	bool may_be_realtime;
	uint64_t lowered; /* IOs that were issued as best effort instead */
};

/* The priority of an IO that was recorded with a class other than IO_CLASS_NONE. */
uint16_t io_priority__of_class(struct io_priority *p, uint16_t ioprio);

/*
 * The priority as ioprio_set(2) numbers it: class and level as recorded, best effort 4 if none was
 * recorded. Never 0, which would give the IO the priority of the submitting thread.
 */
static inline uint16_t io_priority__of(struct io_priority *p, const struct replay_io *io)
{
	return ioprio_class(io->ioprio) == IO_CLASS_NONE ? ioprio_effective(0)
							 : io_priority__of_class(p, io->ioprio);
}

#endif
