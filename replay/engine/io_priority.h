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
	uint64_t lowered; /* IOs that went with best effort instead */
};

/* Of an IO that was recorded with a class, IO_CLASS_NONE is none. */
uint16_t io_priority__of_class(struct io_priority *p, uint16_t ioprio);

/*
 * As ioprio_set(2) numbers it: class and level that were recorded, best effort 4 where none was. Never 0, with
 * which the IO would get the priority of the thread that submits, which may be a raised one.
 */
static inline uint16_t io_priority__of(struct io_priority *p, const struct replay_io *io)
{
	return ioprio_class(io->ioprio) == IO_CLASS_NONE ? ioprio_effective(0)
							 : io_priority__of_class(p, io->ioprio);
}

#endif
