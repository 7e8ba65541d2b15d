// SPDX-License-Identifier: MIT
#include "collector/privileges/signal_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/log.h"
#include "collector/privileges/privileges.h"

static int works_anyway(void *context)
{
	return 0;
}

enum {
	COMMAND = 3,
	REQUESTS
};

/* Closes every descriptor but these two. */
static void keep_two(int command, int requests)
{
	command = fcntl(command, F_DUPFD, REQUESTS + 1);
	requests = fcntl(requests, F_DUPFD, REQUESTS + 1);
	dup2(command, COMMAND);
	dup2(requests, REQUESTS);
	syscall(SYS_close_range, REQUESTS + 1, ~0u, 0);
}

static void relay(int command, int requests)
{
	unsigned char signal_number;
	uint64_t kept;

	keep_two(command, requests);
	prctl(PR_SET_NAME, "blkreel-signals", 0, 0, 0);
	if (privileges__drop(PRIVILEGE(CAP_KILL), works_anyway, NULL, &kept))
		_exit(1);
	while (read(REQUESTS, &signal_number, 1) == 1)
		syscall(SYS_pidfd_send_signal, COMMAND, signal_number, NULL, 0);
	_exit(0);
}

int signal_relay__start(pid_t to)
{
	int command, ends[2], err = 0;
	pid_t child;

	command = (int)syscall(SYS_pidfd_open, to, 0);
	if (command < 0)
		return -errno;
	if (pipe2(ends, O_CLOEXEC)) {
		err = -errno;
		close(command);
		return err;
	}
	child = fork();
	if (!child) {
		close(ends[1]);
		relay(command, ends[0]);
	}
	if (child < 0)
		err = -errno;
	close(command);
	close(ends[0]);
	if (err)
		close(ends[1]);
	return err ? err : ends[1];
}

void signal_relay__send(int relay_fd, int signal_number)
{
	unsigned char byte = (unsigned char)signal_number;

	if (write(relay_fd, &byte, 1) != 1)
		pr_warn("the command cannot be sent signal %d", signal_number);
}
