/* SPDX-License-Identifier: MIT */
/* What a task waits for, by the stack of the kernel in which it sleeps. */
#ifndef BLKREEL_EXPLAIN_FIGURES_WAIT_CAUSE_H
#define BLKREEL_EXPLAIN_FIGURES_WAIT_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum wait_cause {
	CAUSE_PAGE_READ = 0,	   /* a page that this call asked for */
	CAUSE_READAHEAD_IN_FLIGHT, /* a page that was on its way already */
	CAUSE_PAGE_LOCK,
	CAUSE_WRITEBACK_OF_PAGE,
	CAUSE_DIRTY_THROTTLE,
	CAUSE_JOURNAL,
	CAUSE_CGROUP_LIMIT,
	CAUSE_WBT,
	CAUSE_TAG,
	CAUSE_SCHEDULER,
	CAUSE_DEVICE,
	CAUSE_FLUSH,
	CAUSE_RECLAIM,
	CAUSE_RUN_QUEUE, /* woken, not yet running */
	CAUSE_CPU,	 /* running in the call */
	CAUSE_OTHER,
	CAUSE_COUNT,
	/* Divided among the others by the IO that ended the sleep: */
	CAUSE_OF_PAGE = CAUSE_COUNT, /* a page of the cache */
	CAUSE_OF_IO,		     /* an IO of its own, past the cache */
};

/* "page_read" ...; for people: "a page from the device" ... */
const char *wait_cause_name(enum wait_cause cause);
const char *wait_cause_words(enum wait_cause cause);

/* The cause that has most of these times; CAUSE_OTHER if all are 0. */
enum wait_cause wait_cause_largest(const uint64_t ns[CAUSE_COUNT]);

/* The cause of a sleep in these functions (the innermost first, separated by spaces). */
enum wait_cause wait_cause_of_stack(const char *functions);

/* The function that sleeps, without those of the scheduler: writes it into `name`, cut to `bytes`. "": none. */
void wait_cause_function(const char *functions, char *name, size_t bytes);

/* Whether they are in a system call on an open file that is followed if the file is on a recorded device. */
bool wait_cause_is_in_file_call(const char *functions);

/* Whether a worker of io_uring carries out a request in them. */
bool wait_cause_is_in_io_worker(const char *functions);

/* The same, and not while it waits for requests. */
bool wait_cause_is_in_io_request(const char *functions);

/* The words for a sleep outside of a followed call: "page fault", "exec" ... */
const char *wait_cause_place(const char *functions);

#endif
