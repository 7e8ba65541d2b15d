// SPDX-License-Identifier: MIT
#include "commands/shared/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>

int signals__watch(bool on_screen)
{
	sigset_t signals;
	int fd;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	if (signal(SIGHUP, SIG_DFL) == SIG_IGN) /* by nohup(1) */
		signal(SIGHUP, SIG_IGN);
	else
		sigaddset(&signals, SIGHUP);
	if (on_screen) {
		sigaddset(&signals, SIGWINCH);
		sigaddset(&signals, SIGTSTP);
	}
	if (sigprocmask(SIG_BLOCK, &signals, NULL))
		return -errno;
	fd = signalfd(-1, &signals, SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
