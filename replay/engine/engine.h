/* SPDX-License-Identifier: MIT */
/*
 * Plays the IOs of a source onto an open descriptor with io_uring. Knows no trace, no profile
 * and no safety rule: whoever calls it has decided that these IOs may go to this descriptor.
 */
#ifndef BLKREEL_REPLAY_ENGINE_ENGINE_H
#define BLKREEL_REPLAY_ENGINE_ENGINE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/histogram.h"
#include "replay/engine/buffers.h"
#include "replay/verify/durable.h"
#include "replay/engine/start_gate.h"
#include "replay/engine/thread_priority.h"
#include "replay/source/source.h"

#define ENGINE_MESSAGE_MAX 256
#define ENGINE_IODEPTH_MAX 16384

enum engine_mode {
	ENGINE_TIMED = 0, /* open loop: at start + due / speed, whatever has completed */
	ENGINE_ASAP,	  /* as fast as iodepth allows, due times are not looked at */
	ENGINE_DEPTH, /* with as many in flight as wait.depth says, due times are not looked at */
	ENGINE_DEPENDENT, /* after what wait says, and its think time */
};

/* How the time until an IO is due is passed. */
enum engine_spin {
	ENGINE_SPIN_AUTO = 0, /* asleep, but for the last SCHEDULE_SPIN_NS */
	ENGINE_SPIN_ALWAYS,   /* awake: a core is busy all the time */
	ENGINE_SPIN_NEVER,    /* asleep: as late as the timers of this machine are */
};

/* What happened in an interval; all but the first three begin anew with each. */
struct engine_progress {
	uint64_t completed;  /* since the start, without error */
	uint64_t elapsed_ns; /* since the start */
	uint64_t due_ns;     /* how far the source is, in its own time / speed */
	uint64_t interval_ns;
	uint64_t ios; /* completed without error */
	uint64_t errors;
	uint64_t read_bytes, write_bytes;
	uint64_t late_ns;   /* mean of the submissions; 0 in a mode without due times */
	uint32_t in_flight; /* at the end */
	bool last;	    /* shorter than the others: the replay has ended */
	const struct histogram *intended_ns, *submitted_ns; /* as in engine_op_result */
};

struct worker;

struct engine_options {
	int fd;
	bool block_device; /* else a regular file */
	bool buffered;	   /* fd is not O_DIRECT: what overlaps waits, whatever it is */
	enum engine_mode mode;
	enum engine_spin spin;
	bool raise_priority; /* in a mode with due times, as far as priority__raise() may */
	double speed;	     /* > 0; ENGINE_TIMED, of think times in ENGINE_DEPENDENT */
	bool iopoll;	     /* the CPU asks for completions of reads and writes; not with sqpoll */
	bool sqpoll; /* a thread of the kernel submits, where it is late is not seen in lateness */
	uint32_t iodepth;	   /* 1 to ENGINE_IODEPTH_MAX */
	uint32_t completion_batch; /* ENGINE_ASAP: to wait for at a time; 0: a quarter of iodepth */
	uint64_t seed;		   /* of the bytes that writes write, see buffers.h */
	struct buffers_content content; /* own: iodepth is at most buffers__own_slots() */
	uint64_t longest_read_bytes, longest_write_bytes; /* no IO of the source is longer */
	uint64_t zone_bytes;				  /* of a zoned target; else 0 */
	uint64_t target_bytes; /* an IO that does not lie inside ends the replay: -ERANGE */
	struct durable_progress *written;    /* kept up by the numbers of IOs; NULL: not */
	const volatile sig_atomic_t *stop;   /* not 0: end as soon as possible; NULL: never */
	const volatile sig_atomic_t *enough; /* the same, but the replay is whole; NULL: never */
	bool stop_at_error;		     /* end at the first IO that fails, else go on */
	uint64_t ramp_ns;	/* what is submitted so early is left out of the distributions */
	uint64_t start_wall_ns; /* start at this CLOCK_REALTIME; at once when it is past */
	struct gate *gate;	/* of engines that start together, or NULL */
	struct worker *worker;	/* of one of several that share the source; modes timed and asap */
	/* Called by the thread that submits, after each interval; may set *enough. NULL: never. */
	void (*progress)(const struct engine_progress *progress, void *context);
	void *progress_context;
	uint64_t progress_interval_ns; /* > 0 with progress */
};

/* IOs of up to 4, 8, 16, 64, 256 and 1,024 KiB, and longer ones. */
#define ENGINE_SIZES 7

struct engine_latency {
	struct histogram intended_ns;  /* due to completion; empty in a mode without due times */
	struct histogram submitted_ns; /* submission to completion */
};

struct engine_op_result {
	uint64_t issued;
	uint64_t completed; /* without error and whole */
	uint64_t errors;    /* failed or short */
	uint64_t bytes;	    /* of the completed */
	struct engine_latency sizes[ENGINE_SIZES];
	struct histogram intended_ns, submitted_ns; /* of all sizes, when the replay is over */
};

#define ENGINE_ERROR_KINDS 32

struct engine_error {
	enum replay_op op;
	int error; /* positive errno; 0: fewer bytes than asked for */
	uint64_t count;
};

struct engine_result {
	struct engine_op_result ops[REPLAY_OP_COUNT];
	struct histogram lateness_ns; /* actual submission - due; as intended_ns */
	struct histogram pickup_ns; /* sqpoll: seen to wait for the kernel's thread, see pickup.h */
	struct engine_error errors[ENGINE_ERROR_KINDS];
	unsigned int error_kinds;
	uint64_t errors_of_other_kinds; /* more than ENGINE_ERROR_KINDS were seen */
	uint64_t preflushes;		/* flushes before a write, beside ops[] */
	uint64_t held_back;		/* were due, and waited for the depth; ENGINE_TIMED */
	uint64_t ordered;		/* were due, and waited for an IO that they overlap */
	uint64_t waited;		/* were due, and waited for an IO of another worker */
	uint64_t starved;		/* times that the source was not ready with the next IO */
	uint64_t lowered_priorities;	/* realtime IOs as best effort: not allowed here */
	uint64_t blocking_zones;	/* zone operations: io_uring has none */
	uint64_t appended;		/* zone appends of the source, as writes where they went */
	uint64_t polled;		/* IOs that completed in the polled ring */
	uint64_t blocking_discards;	/* made the replay wait: no io_uring discard here */
	uint32_t highest_depth;
	uint32_t completion_batch;     /* ENGINE_ASAP: waited for at a time */
	uint64_t duration_ns;	       /* start to last completion */
	uint64_t last_due_ns;	       /* of the IOs issued, in the source's own time / speed */
	uint64_t user_ns, system_ns;   /* CPU time of the thread that submits and reaps */
	uint64_t ramp_ios, ramp_bytes; /* completed, but not in the distributions */
	bool stopped;		       /* by *stop */
	bool stopped_at_error;
	bool registered;	      /* buffers and descriptor are registered with the ring */
	enum priority_class priority; /* the lowest that the thread that submits had */
};

/* True when IOs have a time at which they should go, and with it lateness. */
static inline bool engine_mode__has_due(enum engine_mode mode)
{
	return mode == ENGINE_TIMED || mode == ENGINE_DEPENDENT;
}

/* The longest IO of a class; UINT64_MAX for the last. */
uint64_t engine_size_bytes(unsigned int size_class);

/* Nothing done yet. */
void engine_result__init(struct engine_result *result);

/* Adds what another engine did meanwhile; highest_depth is the higher of the two. */
void engine_result__merge(struct engine_result *into, const struct engine_result *from);

uint64_t engine_result__issued(const struct engine_result *r);
uint64_t engine_result__completed(const struct engine_result *r);
uint64_t engine_result__errors(const struct engine_result *r);
/* Read and written; discards and write-zeroes carry no data. */
uint64_t engine_result__bytes(const struct engine_result *r);

/*
 * Runs until the source (NULL: that of options->worker) ends or *stop is set; everything that was issued has completed then,
 * unless io_uring itself failed.
 * IO errors are counted in `result`, they do not end the replay. `result` is filled even after
 * an error with what was done. 0; negative errno of the source or of io_uring, with a sentence in
 * `message`.
 */
int engine__run(const struct engine_options *options, struct replay_source *source,
		struct engine_result *result, char message[ENGINE_MESSAGE_MAX]);

#endif
