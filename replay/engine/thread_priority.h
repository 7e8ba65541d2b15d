/* SPDX-License-Identifier: MIT */
/* Raises the priority of the submitting thread, so that other work does not make IOs late. */
#ifndef BLKREEL_REPLAY_ENGINE_THREAD_PRIORITY_H
#define BLKREEL_REPLAY_ENGINE_THREAD_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

enum priority_class {
	PRIORITY_NORMAL = 0, /* as it was */
	PRIORITY_HIGH,	     /* the lowest nice value */
	PRIORITY_REALTIME,   /* the lowest level of SCHED_FIFO */
};

/*
 * In each window of this length: a real-time thread that sleeps less than a tenth of it becomes
 * PRIORITY_HIGH.
 */
#define PRIORITY_WINDOW_NS 100000000ull

struct thread_priority {
	enum priority_class now;
	enum priority_class lowest; /* since it was raised */
	bool sleeps;
	int policy, level, nice; /* before */
	uint64_t window_ns;	 /* when it began, CLOCK_MONOTONIC */
	uint64_t slept_ns;	 /* in the window */
};

/*
 * Raises the calling thread, not the threads that it starts, to the highest suitable class. A
 * thread that never sleeps (not `sleeps`) gets no real-time priority, of which the kernel withholds
 * 50 ms a second from such threads. Nothing changes if the user may not raise it, if the thread
 * already has a real-time priority, or if as many threads of this process would be raised as there
 * are CPUs: then the threads that do the IO would wait for them. p->now is the class that it got.
 */
void thread_priority__raise(struct thread_priority *p, bool sleeps, uint64_t now_ns);
/* Restores what the thread had before. */
void thread_priority__restore(struct thread_priority *p);

/* Forgets what was before: the replay begins now. */
static inline void thread_priority__begin(struct thread_priority *p, uint64_t now_ns)
{
	p->window_ns = now_ns;
	p->slept_ns = 0;
}

/* Counts time that the thread slept. */
static inline void thread_priority__slept(struct thread_priority *p, uint64_t slept_ns)
{
	p->slept_ns += slept_ns;
}

/* Changes the class after each window in which the thread slept less, or more again. */
void thread_priority__look(struct thread_priority *p, uint64_t now_ns);

#endif
