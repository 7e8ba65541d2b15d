// SPDX-License-Identifier: MIT
#include "replay/session/memory_group_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "replay/target/memory_group.h"

#define PIPE_FD 3

/* No device that is held exclusively may stay open here. */
static void close_all_but(int fd)
{
	if (fd != PIPE_FD)
		dup2(fd, PIPE_FD);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	if (!syscall(SYS_close_range, PIPE_FD + 1, ~0u, 0))
		return;
	for (long other = PIPE_FD + 1; other < sysconf(_SC_OPEN_MAX); other++)
		close((int)other);
}

static void wait_and_remove(struct memory_group *group, int end)
{
	bool killed;
	char byte;

	setsid(); /* Ctrl-C ends the replay, not this process */
	prctl(PR_SET_NAME, "blkreel-memory", 0, 0, 0);
	close_all_but(end);
	while (read(PIPE_FD, &byte, 1) < 0 && errno == EINTR)
		;
	killed = memory_group__was_short(group);
	if (memory_group__remove(group))
		pr_warn("the control group of --memory could not be removed");
	if (killed)
		pr_err("the kernel ended the replay: it needed more memory than --memory allows");
	_exit(0);
}

/* The other end of the pipe stays open until this process ends. */
static int start_remover(struct memory_group *group)
{
	int ends[2], err = 0;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid) {
		close(ends[1]);
		wait_and_remove(group, ends[0]);
	}
	if (pid < 0) {
		err = -errno;
		close(ends[1]);
	}
	close(ends[0]);
	return err;
}

int replay_memory_group_enter(uint64_t limit_bytes, struct failure *failure)
{
	char message[MEMORY_GROUP_MESSAGE_MAX];
	struct memory_group group;
	int err = memory_group__create(&group, limit_bytes, message);

	if (err)
		return failure_add(failure,
				   err == -EPERM || err == -EACCES ? EXIT_PRIVILEGE : EXIT_FAILED,
				   "%s", message);
	err = start_remover(&group);
	if (err) {
		memory_group__remove(&group);
		return failure_add_errno(failure, err, "--memory: no process can be started");
	}
	err = memory_group__enter(&group);
	return err ? failure_add_errno(failure, err, "%s: cannot be entered", group.path) : 0;
}
