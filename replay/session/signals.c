// SPDX-License-Identifier: MIT
#include "replay/session/signals.h"

#include <stddef.h>

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

void replay_signals_restore(const struct replay_signals *s)
{
	for (unsigned int i = 0; i < REPLAY_SIGNALS; i++)
		sigaction(stopping[i], &s->before[i], NULL);
}
