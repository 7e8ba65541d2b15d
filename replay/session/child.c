// SPDX-License-Identifier: MIT
#include "replay/session/child.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "replay/session/signals.h"

/* What the process hands up, in memory that both processes see. */
struct replay_child_shared {
	struct file_result result;
	struct failure failure;
};

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t child; /* 0: none any more; -1 in the child itself */
static struct replay_signals before;

/* A terminal signals both processes, kill(1) only this one. */
static void interrupt(int signal)
{
	if (replay_signals_note(&interrupted, signal) && child >= 0)
		_exit(128 + signal);
	if (child > 0)
		kill(child, signal);
}

/* False: the other process is gone. */
static bool wait_for_byte(int fd)
{
	ssize_t got;
	char byte;

	do
		got = read(fd, &byte, 1);
	while (got < 0 && errno == EINTR);
	return got == 1;
}

static int prepare(const struct replay_child *c)
{
	const struct file_player_options *o = c->options;
	struct failure *failure = &c->shared->failure;
	char message[FILE_TREE_MESSAGE_MAX];
	int err = memory_group__enter(c->group);

	if (err)
		return failure_add_errno(failure, err, "%s: cannot be entered", c->group->path);
	if (file_tree__set_cache(o->tree, o->script, c->cache, o->stop, &c->result->cached_bytes,
				 message))
		return failure_add(failure, EXIT_FAILED, "%s", message);
	return 0;
}

/* The exit code of the process. */
static int be_child(const struct replay_child *c)
{
	struct failure *failure = &c->shared->failure;
	int err;

	if (prepare(c) || send(c->socket, "", 1, MSG_NOSIGNAL) != 1 || !wait_for_byte(c->socket))
		return failure->exit_code;
	err = file_player__run(c->options, c->result);
	if (err)
		failure_add_errno(failure, err, "the replay cannot start");
	return failure->exit_code;
}

static void fork_child(struct replay_child *c, const int ends[2])
{
	pid_t parent = getpid();

	c->pid = fork();
	c->socket = ends[c->pid == 0];
	if (c->pid) {
		child = c->pid > 0 ? c->pid : 0;
		close(ends[1]);
		return;
	}
	child = -1;
	close(ends[0]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	_exit(be_child(c));
}

static int cannot_start(int error, struct failure *failure)
{
	return failure_add_errno(failure, error, "the process of the replay cannot be started");
}

int replay_child_start(struct replay_child *c, struct file_player_options *options,
		       struct failure *failure)
{
	int ends[2];

	options->stop = &interrupted;
	c->options = options;
	c->shared = mmap(NULL, sizeof(*c->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->shared == MAP_FAILED) {
		c->shared = NULL;
		return cannot_start(errno, failure);
	}
	c->result = &c->shared->result;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return cannot_start(errno, failure);
	interrupted = 0;
	replay_signals_watch(&before, interrupt);
	fork_child(c, ends);
	if (c->pid < 0) {
		int error = errno;

		replay_child_run(c, false, failure);
		return cannot_start(error, failure);
	}
	return wait_for_byte(c->socket) ? 0 : replay_child_run(c, false, failure);
}

static int wait_for_end(const struct replay_child *c, struct failure *failure)
{
	int status = 0;

	while (c->pid > 0 && waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	if (c->pid > 0 && WIFSIGNALED(status))
		return failure_add(failure, EXIT_FAILED,
				   "the process of the replay was ended by a signal: %s%s",
				   strsignal(WTERMSIG(status)),
				   WTERMSIG(status) == SIGKILL && *c->group->path
					   ? "; it may have needed more memory than --memory allows"
					   : "");
	failure_merge(failure, &c->shared->failure);
	return WEXITSTATUS(status) ? failure_add_code(failure, WEXITSTATUS(status)) : 0;
}

int replay_child_run(struct replay_child *c, bool play, struct failure *failure)
{
	int err;

	/* If the process is gone, waiting for its end tells why. */
	if (play && send(c->socket, "", 1, MSG_NOSIGNAL) != 1)
		pr_debug("the process of the replay is gone");
	close(c->socket);
	err = wait_for_end(c, failure);
	/* After a signal, what follows (the end of a recording, the report) is not to be killed by another. */
	if (!interrupted)
		replay_signals_restore(&before);
	return err;
}

void replay_child_end(struct replay_child *c)
{
	if (c->shared)
		munmap(c->shared, sizeof(*c->shared));
	c->shared = NULL;
	c->result = NULL;
}
