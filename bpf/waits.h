/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The records and tables of what tasks wait for (record --waits). Private to one build, like
 * event.h.
 */
#ifndef BLKREEL_BPF_WAITS_H
#define BLKREEL_BPF_WAITS_H

#include "event.h"

enum wait_record_type { /* beside enum event_type */
	RECORD_WAIT = 24,
};

enum wait_event_what { /* as enum wait_what of the trace, as far as records have them */
	WAIT_EVENT_SLEEP = 0,
	WAIT_EVENT_CALL = 1,
	/* A call that was switched out once, and slept then: both in one record. `call_ns` is the
	 * begin of the sleep, the other times are the call's. */
	WAIT_EVENT_SLEPT_CALL = 2,
};

enum wait_event_flags {
	WAIT_EVENT_KTHREAD = 1 << 0, /* a worker of io_uring before Linux 5.12 */
	WAIT_EVENT_IOWAIT = 1 << 1,  /* the kernel counted the sleep as a wait for IO */
	WAIT_EVENT_NO_WAKEUP =
		1 << 2, /* the wakeup was not seen: the sleep includes the run queue */
};

/* Which system calls are followed: an entry for each number. */
#define WAIT_NUMBERS_MAX 512
enum wait_number {
	WAIT_NUMBER_CALL = 0x1f,      /* enum wait_call of the trace; 0: not followed */
	WAIT_NUMBER_SECOND = 0x20,    /* its second argument is the file */
	WAIT_NUMBER_NO_FILE = 0x40,   /* no argument is a file: only calls that block count */
	WAIT_NUMBER_ANY_TASK = 0x80,  /* and also of a task that used no recorded file before */
	WAIT_NUMBER_LAST_COUNTED = 2, /* calls up to this one, reads and writes, are counted */
};

struct wait_event {
	__u8 type;
	__u8 what; /* enum wait_event_what */
	__u16 flags;
	__s32 stack; /* id; negative: none */
	__u64 time_ns;
	__u64 run_queue_ns;
	__u64 cpu_ns;
	__u64 end_ns;	/* where struct io_event has its end */
	__u64 sleep_ns; /* of a call: all its sleeps */
	__u64 call_ns;	/* when the call began; 0: in no followed call */
	__u64 inode;	/* of a call */
	__u32 device;
	__u16 mode;
	__u16 version;
	__u32 call; /* as the table of numbers says */
	__u32 pid;
	__u32 tgid;
	__u32 waker_pid;  /* 0: not seen */
	__u32 waker_tgid; /* 0: a thread of the kernel */
	__u32 padding;
	char comm[EVENT_COMM_BYTES];
	char waker_comm[EVENT_COMM_BYTES];
};

#define WAIT_PLACES_MAX 16384 /* of tasks, a power of two */

#define WAIT_KINDS 16 /* of calls, a power of two */

/* The stacks that a task met last: their ids + 1; 0: none. */
struct wait_met {
	__u16 last, before;
};

#define WAIT_LINE_BYTES 64 /* of a cache */

/* A task that used recorded files: the value of the tables of tasks. A part is a line of a cache. */
struct wait_task {
	/* All that a waker reads and writes, on another CPU. */
	__u32 pid;
	__u8 has_crowd; /* a task whose place is this one has another one */
	__u8 asleep;
	__u8 storage;	/* the sleep becomes a record */
	__u8 ended;	/* it has run for the last time */
	__u64 out_ns;	/* it does not run since; 0: it runs */
	__u64 woken_ns; /* 0: not yet */
	__u32 waker_pid, waker_tgid;
	char waker_comm[EVENT_COMM_BYTES];
	__u64 in_ns;	 /* it runs since; 0: it does not run */
	__u16 flags;	 /* enum wait_event_flags */
	__u8 end_unseen; /* while the task runs the call may have ended at in_ns */
	__u8 exits;	 /* its exit has begun */
	__s32 stack;

	__u64 cpu_ns, run_queue_ns, sleep_ns;
	__u64 ran_ns;	    /* the kernel's count of its time on CPUs when it was switched out */
	__u64 run_delay_ns; /* its count of the time in the run queue, likewise; 0: not known */
	/* While it runs: begin and end of the sleep that is no record yet. 0: none. */
	__u64 slept_ns, slept_until_ns;
	__u64 call_ns; /* when the call began in which it was switched out; 0: none */

	__u64 call_cpu_ns, call_run_queue_ns, call_sleep_ns;
	__u64 call_mark; /* another call has another mark; unused where each call is seen */
	__u32 call;
	__u32 tgid;
	__u8 file_is_followed;
	char comm[EVENT_COMM_BYTES];

	/* The file of the call, as last looked at. */
	__u64 file; /* 0: none */
	__u64 file_inode;
	__u64 file_number;
	__u64 inode;
	__u64 file_seen_jiffies;
	__u32 file_device;
	__u16 file_mode;
	__u16 file_version;
	__u64 since_ns; /* when it was first seen */
	__u64 padding;

	struct wait_met met[WAIT_KINDS];
};

/* The calls of one task and kind that did not block, by how long they took. */
#define WAIT_STEP_BITS 3 /* as base/loglinear.h numbers buckets of whole ns */
#define WAIT_BUCKETS   256

struct wait_calls_key {
	__u32 pid;
	__u32 call;
};

struct wait_calls {
	__u64 count;
	__u64 ns;
	__u32 buckets[WAIT_BUCKETS];
};

#define WAIT_STACK_DEPTH 24

/* Set by the collector before load. */
struct wait_config {
	__u8 numbers[WAIT_NUMBERS_MAX];
	__u8 has_prev_state; /* sched_switch has the state as its fourth argument */
	__u8 every_call;     /* calls that do not block count; else only blocked ones are known */
};

struct wait_losses {
	__u64 ring;	/* records dropped because a ring was full */
	__u64 table;	/* tasks or calls not followed because a table was full */
	__u64 stacks;	/* sleeps without a stack */
	__u64 switches; /* to a task: the kernel reported none, and their time was computed */
};

_Static_assert(sizeof(struct wait_event) == sizeof(struct io_event),
	       "they share the rings of the CPUs");
_Static_assert(__builtin_offsetof(struct wait_event, end_ns) ==
		       __builtin_offsetof(struct io_event, completed_ns),
	       "the rings of the CPUs are read until a time");
_Static_assert(sizeof(struct wait_task) == 5 * WAIT_LINE_BYTES &&
		       __builtin_offsetof(struct wait_task, cpu_ns) == WAIT_LINE_BYTES,
	       "wait_task is an ABI, whose parts are lines of a cache");

#endif
