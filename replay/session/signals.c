// SPDX-License-Identifier: MIT
#include "replay/session/signals.h"

#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/units.h"

static const int stopping[REPLAY_SIGNALS] = {SIGINT, SIGTERM, SIGXCPU, SIGHUP};

void replay_signals_watch(struct replay_signals *s, void (*handler)(int signal_number))
{
	const struct sigaction action = {.sa_handler = handler};

	for (unsigned int i = 0; i < REPLAY_SIGNALS; i++) {
		sigaction(stopping[i], &action, &s->before[i]);
		if (stopping[i] == SIGHUP && s->before[i].sa_handler == SIG_IGN)
			sigaction(stopping[i], &s->before[i], NULL);
	}
}

bool replay_signals_note(volatile sig_atomic_t *interrupted, int signal_number)
{
	static uint64_t first_ns;
	uint64_t time_ns = clock_ns(CLOCK_MONOTONIC);

	if (*interrupted && time_ns - first_ns > NSEC_PER_SEC)
		return true;
	if (!*interrupted)
		first_ns = time_ns;
	*interrupted = signal_number;
	return false;
}

void replay_signals_restore(const struct replay_signals *s)
{
	for (unsigned int i = 0; i < REPLAY_SIGNALS; i++)
		sigaction(stopping[i], &s->before[i], NULL);
}
