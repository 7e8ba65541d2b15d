/* SPDX-License-Identifier: MIT */
/* Keeps CPUs out of sleep states while a replay runs, so that a timer or an interrupt finds them awake. */
#ifndef BLKREEL_REPLAY_SESSION_CPU_SLEEP_H
#define BLKREEL_REPLAY_SESSION_CPU_SLEEP_H

#define CPU_SLEEP_PATH "/dev/cpu_dma_latency"

enum cpu_sleep {
	CPU_SLEEP_LEFT = 0, /* not asked for */
	CPU_SLEEP_HELD_OFF,
	CPU_SLEEP_NOT_PERMITTED,
	CPU_SLEEP_NOT_AVAILABLE, /* the kernel has no such file, or refused the value */
};

/*
 * Asks the kernel for a wake-up latency of 0 through `path`, until cpu_sleep__release(). *fd: to be
 * released, or -1.
 */
enum cpu_sleep cpu_sleep__hold_off(const char *path, int *fd);

/* Ends it. */
void cpu_sleep__release(int fd);

#endif
