/* Puts the thread that keeps the time before what else runs on this machine. */
#ifndef BLKREEL_REPLAY_PRIORITY_H
#define BLKREEL_REPLAY_PRIORITY_H

#include <stdbool.h>

struct priority {
	bool raised;
	int policy, level, nice; /* before */
};

/*
 * The lowest level of SCHED_FIFO for the calling thread, not for those that it starts. False, and
 * nothing is changed: the user may not, the thread has it already, or it has one CPU only, where
 * whoever does the IO would wait for it.
 */
bool priority__raise(struct priority *p);
void priority__restore(const struct priority *p);

#endif
