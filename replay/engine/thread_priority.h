/* SPDX-License-Identifier: MIT */
/* Puts the thread that keeps the time before what else runs on this machine. */
#ifndef BLKREEL_REPLAY_ENGINE_THREAD_PRIORITY_H
#define BLKREEL_REPLAY_ENGINE_THREAD_PRIORITY_H

#include <stdbool.h>
#include <stdint.h>

enum priority_class {
	PRIORITY_NORMAL = 0, /* as it was */
	PRIORITY_HIGH,	     /* the lowest nice value */
	PRIORITY_REALTIME,   /* the lowest level of SCHED_FIFO */
};

/* A real-time thread that sleeps less than a tenth of this is made one of PRIORITY_HIGH. */
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
 * The highest class that does for the calling thread, not for those that it starts: one that never
 * sleeps (not `sleeps`) gets no real time, of which the kernel takes 50 ms a second away from such. Nothing
 * is changed where the user may not, where the thread has a real-time priority already, or where
 * the threads of this process that were raised would be as many as there are CPUs, and whoever does the IO
 * would wait for them. p->now says which it became.
 */
void thread_priority__raise(struct thread_priority *p, bool sleeps, uint64_t now_ns);
void thread_priority__restore(struct thread_priority *p);

/* The thread slept for so long. */
static inline void thread_priority__slept(struct thread_priority *p, uint64_t slept_ns)
{
	p->slept_ns += slept_ns;
}

/* After each window: changes the class when the thread sleeps less, or more again. */
void thread_priority__look(struct thread_priority *p, uint64_t now_ns);

#endif
