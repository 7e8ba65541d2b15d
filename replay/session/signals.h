/* SPDX-License-Identifier: MIT */
/* The signals that end a replay: SIGINT, SIGTERM, SIGXCPU (ulimit -t) and SIGHUP. */
#ifndef BLKREEL_REPLAY_SESSION_SIGNALS_H
#define BLKREEL_REPLAY_SESSION_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#define REPLAY_SIGNALS 4

/* What the process did with them before. */
struct replay_signals {
	struct sigaction before[REPLAY_SIGNALS];
};

/* From now on these signals call `handler`. A SIGHUP that nohup(1) ignores stays ignored. */
void replay_signals_watch(struct replay_signals *s, void (*handler)(int signal_number));

/*
 * For a handler: sets *interrupted to the signal. True for one that comes more than a second after the first: the process
 * is to end at once, because a device may never answer. Signals within the second are one request, because a terminal and
 * timeout(1) signal a process and its group.
 */
bool replay_signals_note(volatile sig_atomic_t *interrupted, int signal_number);

/* Restores what was before. */
void replay_signals_restore(const struct replay_signals *s);

#endif
