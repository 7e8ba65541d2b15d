/* SPDX-License-Identifier: MIT */
/* The result about waits: what tasks waited for (record --waits), and behind whom. */
#ifndef BLKREEL_EXPLAIN_FIGURES_TASK_WAITS_H
#define BLKREEL_EXPLAIN_FIGURES_TASK_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "explain/figures/wait_cause.h"

/* The time of one cause, and how often it was waited for. */
struct explain_cause {
	uint64_t ns, count;
};

#define EXPLAIN_BLAME_NAME_SHORT 24
#define EXPLAIN_CULPRITS	 8

/* Another program, behind whose IOs a part of the waits for a cause passed. */
struct explain_culprit {
	char name[EXPLAIN_BLAME_NAME_SHORT];
	enum wait_cause cause;
	uint64_t ns;
};

/* The calls of one kind by one task. Their causes include running and the run queue. */
struct explain_calls {
	const char *kind; /* "read", "fsync", "page_fault" ... */
	uint64_t count, ns;
	uint64_t p50_ns, p99_ns, max_ns;
	struct explain_cause causes[CAUSE_COUNT];
	uint64_t others_ns[CAUSE_COUNT];   /* of each cause: behind the IOs of others */
	uint64_t no_write_ns[CAUSE_COUNT]; /* while nothing was written that it can wait for */
	struct explain_culprit culprits[EXPLAIN_CULPRITS]; /* those with most time, sorted */
	uint32_t culprit_count;
};

/* A limit that held IOs of a task back, per second; 0: no limit, or not known. */
struct explain_io_limit {
	char *cgroup; /* whose limit it is; NULL: not known */
	bool writes;  /* of writes, or of reads */
	uint64_t bytes_per_s, ios_per_s;
};

/* Of the sleeps of a task that IOs of one device ended. */
struct explain_device_waits {
	uint32_t device; /* table id */
	uint64_t ns[CAUSE_COUNT];
};

/* wall = cpu + run_queue + the causes but those two + outside + unaccounted. */
struct explain_wait_task {
	uint32_t pid, tgid; /* of a command with several tasks: 0 */
	uint32_t tasks;	    /* whose sum it is; of a task: 1 */
	char comm[16];
	bool kernel_thread;
	uint64_t wall_ns, cpu_ns, run_queue_ns, sleep_ns, outside_ns, unaccounted_ns;
	uint64_t waited_ns; /* the causes but running; the run queue in and out of calls */
	struct explain_cause causes[CAUSE_COUNT];
	struct explain_io_limit limit; /* of the last IO that a limit held back */
	struct explain_calls *calls;   /* the longest first */
	uint32_t call_count;
	struct explain_device_waits *devices;
	uint32_t device_count;
};

#define EXPLAIN_WORST_WAITS	  5
#define EXPLAIN_WAIT_FUNCTION_MAX 48

enum explain_blame_by {
	BLAME_BY_TASK = 0,
	BLAME_BY_CGROUP,
	BLAME_BY_FILE,
	BLAME_BY_COUNT
};

enum explain_blame_where {
	BLAME_IN_DEVICE = 0,
	BLAME_IN_SCHEDULER,
	BLAME_IN_JOURNAL,
	BLAME_IN_WRITEBACK,
	BLAME_WHERE_COUNT
};

/* Time that `victim` slept while the device served `culprit`; both are the same for its own IOs. */
struct explain_blame {
	enum explain_blame_by by;
	enum explain_blame_where where;
	char *victim, *culprit;
	uint64_t ns;
	uint64_t named_ns; /* behind IOs whose rows have the culprit's name */
	bool is_kernel;	   /* a thread of the kernel submitted them, for nobody that is known */
};

/* "task" ...; "device" ... */
const char *explain_blame_by_name(enum explain_blame_by by);
const char *explain_blame_where_name(enum explain_blame_where where);

struct explain_worst_wait {
	uint64_t time_ns, duration_ns;
	enum wait_cause cause; /* of most of it */
	uint32_t pid;
	const char *kind;
	char *file; /* NULL: not known */
	char comm[16], waker[16];
	char function[EXPLAIN_WAIT_FUNCTION_MAX];
	/* Most of what was not its own: */
	char culprit[EXPLAIN_BLAME_NAME_SHORT]; /* "": nothing */
	uint64_t culprit_ns, culprit_ios, culprit_bytes;
	bool culprit_wrote; /* into the page cache; the kernel wrote these pages for it */
};

struct explain_other_wait {
	char function[EXPLAIN_WAIT_FUNCTION_MAX];
	uint64_t ns, count;
};

#define EXPLAIN_OTHER_WAITS 8

/* What tasks waited for (record --waits). */
struct explain_waits {
	bool recorded;
	const char *quality;
	uint64_t total_ns;	 /* that tasks waited */
	uint64_t unaccounted_ns; /* of calls, where a sleep or a switch was not seen */
	uint64_t unexplained;	 /* sleeps without a stack */
	uint64_t no_wakeup_ns;	 /* of sleeps that include the run queue */
	struct explain_cause causes[CAUSE_COUNT]; /* of their calls; so is the run queue */
	struct explain_wait_task *tasks;	  /* who waited most first */
	uint32_t task_count;
	struct explain_wait_task *commands; /* the same, summed by name; without devices */
	uint32_t command_count;
	uint64_t left_out; /* tasks beyond a bound */
	struct explain_worst_wait worst[EXPLAIN_WORST_WAITS];
	uint32_t worst_count;
	struct explain_other_wait
		others[EXPLAIN_OTHER_WAITS]; /* functions of CAUSE_OTHER, sorted */
	uint32_t other_count;
	struct explain_blame *blame; /* by `by`, the longest first */
	uint32_t blame_count;
	/* Of the waits: while the kernel wrote pages of files whose writer is not known. */
	uint64_t unnamed_ns;
};

#endif
