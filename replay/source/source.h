/* SPDX-License-Identifier: MIT */
/*
 * Where the IOs of a replay come from. The engine knows this interface and nothing of traces or
 * profiles. Sources stack: mapping.h, for example, puts one on top of another.
 */
#ifndef BLKREEL_REPLAY_SOURCE_SOURCE_H
#define BLKREEL_REPLAY_SOURCE_SOURCE_H

#include <stdint.h>

#include "workload/dependence/infer.h"

/* The longest read or write: one io_uring buffer holds at most 1 GiB, the pattern included. */
#define REPLAY_LONGEST_BYTES (512ull << 20)

enum replay_op {
	REPLAY_READ = 0,
	REPLAY_WRITE,
	REPLAY_FLUSH,
	REPLAY_DISCARD,
	REPLAY_WRITE_ZEROES,
	REPLAY_SECURE_ERASE, /* no target can be asked for it yet: refused, skipped or emulated */
	REPLAY_ZONE,	     /* see enum replay_zone */
	REPLAY_OTHER,	     /* as REPLAY_SECURE_ERASE */
	REPLAY_OP_COUNT,
};

enum replay_io_flags {
	REPLAY_FUA = 1u << 0,	     /* the write is on stable media when it completes */
	REPLAY_PREFLUSH = 1u << 1,   /* the cache is flushed before the write */
	REPLAY_KERNEL = 1u << 2,     /* a thread of the kernel submitted it */
	REPLAY_BACKGROUND = 1u << 3, /* nobody waited for it: writeback */
	REPLAY_APPENDED = 1u << 4,   /* the write was a zone append: the device chose its place */
	REPLAY_ATOMIC = 1u << 5,     /* the device writes all of it or nothing */
	REPLAY_HINTED = 1u << 6,     /* `hint` is not 0 */
	/* How it differs from the source, see mapping.h: */
	REPLAY_ALIGNED = 1u << 7,   /* widened to whole blocks of the target */
	REPLAY_WRAPPED = 1u << 8,   /* moved, because at least a part lay behind the target's end */
	REPLAY_CLIPPED = 1u << 9,   /* cut to the target's size: a discard or write-zeroes */
	REPLAY_EMULATED = 1u << 10, /* another op, or an atomic write as a plain one */
	REPLAY_AFTER_GAP = 1u << 11, /* `left_out` is not 0 */
};

#define REPLAY_DEVIATIONS \
	(REPLAY_ALIGNED | REPLAY_WRAPPED | REPLAY_CLIPPED | REPLAY_EMULATED | REPLAY_AFTER_GAP)

/* What a REPLAY_ZONE does with the zone that begins at its offset. */
enum replay_zone {
	REPLAY_ZONE_OPEN = 0,
	REPLAY_ZONE_CLOSE,
	REPLAY_ZONE_FINISH,
	REPLAY_ZONE_RESET,
	REPLAY_ZONE_RESET_ALL, /* with all zones of the target */
};

struct replay_io {
	uint64_t due_ns;  /* from the start of the source, at its own speed */
	uint64_t done_ns; /* when it completed in the recording, on the same clock; 0: not known */
	uint64_t offset_bytes;
	uint64_t length_bytes;
	uint32_t flags;	 /* enum replay_io_flags */
	uint32_t task;	 /* who submitted it: id in the trace; 0: not known */
	uint64_t number; /* of the IOs that change data, from 1: write_numbers.h; 0: none */
	uint16_t ioprio; /* of a read or write, see base/ioprio.h */
	uint8_t op;	 /* enum replay_op */
	uint8_t zone;	 /* enum replay_zone */
	uint8_t hint;	 /* of a write, as fcntl(2) numbers it (RWH_WRITE_LIFE_...); 0: none */
	struct replay_wait wait;
	uint32_t left_out; /* IOs of the source between the one before and this one */
};

struct replay_source;

struct replay_source_ops {
	/* 1: *io is the next IO, in order of due_ns; 0: the end; negative errno. */
	int (*next)(struct replay_source *source, struct replay_io *io);
	void (*free)(struct replay_source *source);
};

/* First member of every source. */
struct replay_source {
	const struct replay_source_ops *ops;
};

/* As replay_source_ops.next. */
static inline int replay_source__next(struct replay_source *source, struct replay_io *io)
{
	return source->ops->next(source, io);
}

static inline void replay_source__free(struct replay_source *source) /* NULL is allowed */
{
	if (source)
		source->ops->free(source);
}

const char *replay_op_name(enum replay_op op); /* "read", ... */

/* True for an op that changes data: every op except read and flush. */
static inline int replay_op_changes_data(enum replay_op op)
{
	return op != REPLAY_READ && op != REPLAY_FLUSH;
}

/* True for an op that transfers data: read and write. */
static inline int replay_op_has_data(enum replay_op op)
{
	return op == REPLAY_READ || op == REPLAY_WRITE;
}

#endif
