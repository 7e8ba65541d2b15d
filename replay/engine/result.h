/* SPDX-License-Identifier: MIT */
/* What an engine did: counts, errors and distributions. */
#ifndef BLKREEL_REPLAY_ENGINE_RESULT_H
#define BLKREEL_REPLAY_ENGINE_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "base/histogram.h"
#include "replay/engine/thread_priority.h"
#include "replay/source/source.h"
#include "replay/target/io_limits.h"

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
	struct histogram intended_ns,
		submitted_ns; /* of all sizes; after engine_result__finish() */
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
	struct histogram
		sqpoll_delay_ns; /* sqpoll: time seen waiting for the kernel's thread, see sqpoll_delay.h */
	struct engine_error errors[ENGINE_ERROR_KINDS];
	unsigned int error_kinds;
	uint64_t errors_of_other_kinds; /* more than ENGINE_ERROR_KINDS were seen */
	struct histogram wakeups_ns;	/* ENGINE_SPIN_AUTO: how late timers woke the thread */
	uint64_t lead_ns;		/* the longest that was polled before an IO; as above */
	uint64_t spun_ns;		/* polled while waiting for a due time */
	bool spin_limited;		/* by SPIN_SHARE_PCT: timers asked for more */
	uint64_t preflushes;		/* flushes before a write, not in ops[] */
	uint64_t held_back;		/* were due and waited for iodepth; not ENGINE_ASAP */
	uint64_t ordered;		/* were due and waited for an IO that they overlap */
	uint64_t waited;		/* were due and waited for an IO of another worker */
	uint64_t starved;		/* times that the source was not ready with the next IO */
	uint64_t
		lowered_priorities; /* realtime IOs issued as best effort, for lack of permission */
	uint64_t blocking_zones;    /* zone operations by ioctl: io_uring has none */
	uint64_t appended;    /* zone appends of the source, issued as writes to where they went */
	uint64_t unhinted;    /* writes without their write hint, which the target could not have */
	uint64_t split;	      /* reads and writes longer than the target takes in one IO */
	uint64_t split_into;  /* IOs that they were at the target, by its limits */
	uint64_t whole_bytes; /* the longest IO that the target does not split; 0: not known */
	bool small_pages;     /* whole_bytes would be more with memory in huge pages */
	uint64_t polled;      /* IOs that completed in the polled ring */
	uint64_t blocking_discards; /* discards by ioctl: this kernel's io_uring has none */
	/* IOs submitted, by their flags, see enum replay_io_flags: */
	uint64_t aligned, wrapped, clipped, emulated, atomic;
	uint64_t left_out; /* IOs of the source that were left out between those submitted */
	/* ENGINE_DEPENDENT, of the IOs submitted: */
	uint64_t anchors[REPLAY_ANCHOR_COUNT]; /* by the anchor of their think time */
	uint64_t uncounted;		       /* no completion was recorded */
	uint64_t overflowed;		       /* an IO was taken as completed too early for them */
	uint32_t streams;		       /* tasks that they are of */
	uint32_t highest_depth;
	uint32_t completion_batch; /* ENGINE_ASAP: completions waited for at a time */
	uint64_t duration_ns;	   /* start to last completion, or to the end by runtime or stop */
	uint64_t last_due_ns;	   /* of the IOs issued, in the source's own time / speed */
	uint64_t
		cpu_wait_ns; /* the submitting thread could run and had no CPU; of several the longest */
	uint64_t user_ns, system_ns;   /* CPU time of the thread that submits and reaps */
	uint64_t ramp_ios, ramp_bytes; /* completed, but not in the distributions */
	bool stopped;		       /* by *stop */
	bool stopped_at_error;
	bool runtime_over;	      /* options->runtime_ns ended it before the source did */
	bool source_over;	      /* the source came to its end */
	bool registered;	      /* buffers and descriptor are registered with the ring */
	enum priority_class priority; /* the lowest that the submitting thread had */
};

/* The longest IO of a class; UINT64_MAX for the last. */
uint64_t engine_size_bytes(unsigned int size_class);

/* Empties a result, before the replay. */
void engine_result__init(struct engine_result *result);

/* Adds what another engine did at the same time; highest_depth is the higher of the two. */
void engine_result__merge(struct engine_result *into, const struct engine_result *from);

/* Sums over all ops: IOs issued, completed without error, and failed. */
uint64_t engine_result__issued(const struct engine_result *r);
uint64_t engine_result__completed(const struct engine_result *r);
uint64_t engine_result__errors(const struct engine_result *r);
/* Bytes read and written; discards and write-zeroes carry no data. */
uint64_t engine_result__bytes(const struct engine_result *r);

/* Filling it, by the engine ----------------------------------------------------------------- */

/* Sets whole_bytes and small_pages for memory that is contiguous in runs of `run_bytes`. */
void engine_result__set_whole_bytes(struct engine_result *result, const struct io_limits *limits,
				    uint64_t run_bytes);

/* Makes the distributions of each op from those of its sizes; once, at the end. */
void engine_result__finish(struct engine_result *result);

/* Equal IOs that completed whole and without error. */
struct engine_completed {
	enum replay_op op;
	bool in_ramp; /* submitted before the ramp was over */
	bool has_due;
	uint64_t length_bytes;
	uint64_t intended_ns,
		submitted_ns; /* from the due time, and from the submission, to the completion */
	uint32_t count;
};

/* Counts IOs that completed. */
void engine_result__add_completed(struct engine_result *result, const struct engine_completed *io);

/* Counts how IOs differ from the source: `flags` and `left_out` of each that is submitted. */
void engine_result__add_deviations(struct engine_result *result, uint32_t flags, uint32_t left_out);

/* Counts what an IO of ENGINE_DEPENDENT waited for. */
void engine_result__add_wait(struct engine_result *result, const struct replay_wait *wait);

/* Counts an IO that failed. `error`: positive errno, or 0 for fewer bytes than asked for. */
void engine_result__add_error(struct engine_result *result, enum replay_op op, int error);

/* The calling thread's times, of RUSAGE_THREAD and its run queue. */
struct thread_times {
	struct rusage usage;
	uint64_t wait_ns; /* for a CPU; 0 where the kernel does not tell (CONFIG_SCHED_INFO) */
};

void thread_times__read(struct thread_times *t);

/* Sets the CPU time that the calling thread used and waited for since `before`. */
void engine_result__add_cpu_time(struct engine_result *result, const struct thread_times *before);

#endif
