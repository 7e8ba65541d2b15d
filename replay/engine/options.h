/* SPDX-License-Identifier: MIT */
/* What an engine is to do, and what it reports while it does it. */
#ifndef BLKREEL_REPLAY_ENGINE_OPTIONS_H
#define BLKREEL_REPLAY_ENGINE_OPTIONS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/histogram.h"
#include "replay/engine/buffers.h"
#include "replay/engine/start_gate.h"
#include "replay/target/io_limits.h"
#include "replay/verify/durable.h"

#define ENGINE_MESSAGE_MAX 256
#define ENGINE_IODEPTH_MAX 16384
#define ENGINE_BATCH_MAX   64 /* IOs that go to the kernel in one call */

/* So long before the start an engine calls nobody any more. */
#define ENGINE_WAITING_NS 10000000ull

enum engine_mode {
	ENGINE_TIMED = 0, /* open loop: at start + due / speed, whatever has completed */
	ENGINE_ASAP,	  /* as fast as iodepth allows; due times are ignored */
	ENGINE_DEPTH,	  /* with as many in flight as wait.depth says; due times are ignored */
	ENGINE_DEPENDENT, /* after the completions and the think time of `wait` */
};

/* How to wait until an IO is due. */
enum engine_spin {
	ENGINE_SPIN_AUTO = 0, /* sleep, and poll from before the timers are late, see spin.h */
	ENGINE_SPIN_ALWAYS,   /* poll: a core is busy all the time */
	ENGINE_SPIN_NEVER,    /* sleep: as late as the timers of this machine are */
};

extern const char *const engine_mode_names[]; /* by mode: "timed", ...; ends with NULL */

/* True when IOs have a due time, and with it lateness. */
static inline bool engine_mode__has_due(enum engine_mode mode)
{
	return mode == ENGINE_TIMED || mode == ENGINE_DEPENDENT;
}

/* What happened in an interval; only the first three count from the start. */
struct engine_progress {
	uint64_t completed;  /* since the start, without error */
	uint64_t elapsed_ns; /* since the start */
	uint64_t due_ns;     /* how far the source is, in its own time / speed */
	uint64_t interval_ns;
	uint64_t ios; /* completed without error */
	uint64_t errors;
	uint64_t read_bytes, write_bytes;
	uint64_t late_ns;   /* mean lateness of the submissions; 0 in a mode without due times */
	uint32_t in_flight; /* at the end */
	bool last;	    /* shorter than the others: the replay has ended */
	const struct histogram *intended_ns, *submitted_ns; /* as in engine_op_result */
};

struct worker;

struct engine_options {
	int fd;
	bool block_device; /* else a regular file */
	bool buffered;	   /* fd is not O_DIRECT: IOs that overlap wait for each other */
	enum engine_mode mode;
	enum engine_spin spin;
	bool raise_priority; /* in a mode with due times, see thread_priority__raise() */
	double speed; /* > 0; of due times in ENGINE_TIMED, of think times in ENGINE_DEPENDENT */
	bool iopoll;  /* poll for completions of reads and writes; not with sqpoll */
	bool sqpoll;  /* a thread of the kernel submits; its delay is not in the lateness */
	uint32_t iodepth; /* 1 to ENGINE_IODEPTH_MAX */
	uint32_t
		completion_batch; /* ENGINE_ASAP: completions to wait for at a time; 0: a quarter of iodepth */
	uint64_t seed;		  /* of the written bytes, see buffers.h */
	struct buffers_content content; /* own: iodepth is at most buffers__own_slots() */
	uint64_t longest_read_bytes, longest_write_bytes; /* a longer IO ends the replay: -ERANGE */
	uint64_t zone_bytes;				  /* of a zoned target; else 0 */
	struct io_limits limits;			  /* of the target; all 0: not known */
	uint8_t hint;	       /* the write hint that the target has; 0: none */
	uint64_t target_bytes; /* an IO that does not lie inside ends the replay: -ERANGE */
	struct durable_progress
		*written; /* updated with the numbers of completed writes; NULL: not needed */
	const volatile sig_atomic_t *stop; /* not 0: end as soon as possible; NULL: never */
	const volatile sig_atomic_t
		*enough;    /* the same, but the replay counts as whole; NULL: never */
	bool stop_at_error; /* end at the first IO that fails, else go on */
	uint64_t ramp_ns;   /* IOs submitted before are not in the distributions */
	uint64_t
		runtime_ns; /* of the clock, from the start: then no more IO is submitted; 0: no limit */
	uint64_t start_wall_ns;	 /* start at this CLOCK_REALTIME; past: -ETIME; 0: at once */
	struct start_gate *gate; /* of engines that start together, or NULL */
	/* Called every 100 ms before a later start, until ENGINE_WAITING_NS before it. NULL: never. */
	void (*waiting)(void *context);
	void *waiting_context;
	struct worker *worker; /* of one of several that share the source; modes timed and asap */
	/* Called by the thread that submits, after each interval; may set *enough. NULL: never. */
	void (*progress)(const struct engine_progress *progress, void *context);
	void *progress_context;
	uint64_t progress_interval_ns; /* > 0 with progress */
};

#endif
