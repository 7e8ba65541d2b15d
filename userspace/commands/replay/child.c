// SPDX-License-Identifier: MIT
#include "commands/replay/child.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "commands/shared/command.h"

static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
#define STOPPING (sizeof(stopping) / sizeof(stopping[0]))

static volatile sig_atomic_t interrupted;
static volatile sig_atomic_t child; /* 0 in itself */
static struct sigaction before[STOPPING];

/* A terminal tells both of them, who sends a signal only one. */
static void interrupt(int signal)
{
	if (interrupted && child)
		_exit(128 + signal);
	interrupted = signal;
	if (child)
		kill(child, signal);
}

static void watch_signals(void)
{
	struct sigaction action = {.sa_handler = interrupt};

	interrupted = 0;
	for (unsigned int i = 0; i < STOPPING; i++) {
		sigaction(stopping[i], &action, &before[i]);
		if (stopping[i] == SIGHUP && before[i].sa_handler == SIG_IGN) /* by nohup(1) */
			sigaction(stopping[i], &before[i], NULL);
	}
}

static void forget_signals(void)
{
	for (unsigned int i = 0; i < STOPPING; i++)
		sigaction(stopping[i], &before[i], NULL);
}

/* False: the other end went away. */
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
	char message[FILE_TREE_MESSAGE_MAX];
	int err = memory_group__enter(c->group);

	if (err) {
		pr_err("%s: cannot be entered: %s", c->group->path, strerror(-err));
		return EXIT_FAILED;
	}
	if (!file_tree__set_cache(o->tree, o->script, c->cache, &c->result->cached_bytes, message))
		return EXIT_OK;
	pr_err("%s", message);
	return EXIT_FAILED;
}

static int be_child(const struct replay_child *c)
{
	int code = prepare(c), err;

	if (code || send(c->socket, "", 1, MSG_NOSIGNAL) != 1 || !wait_for_byte(c->socket))
		return code;
	err = file_player__run(c->options, c->result);
	if (err)
		pr_err("the replay cannot start: %s", strerror(-err));
	return err ? EXIT_FAILED : EXIT_OK;
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
	close(ends[0]);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILED);
	_exit(be_child(c));
}

static int cannot_start(int error)
{
	pr_err("the process of the replay cannot be started: %s", strerror(error));
	return EXIT_FAILED;
}

int replay_child_start(struct replay_child *c, struct file_player_options *options)
{
	int ends[2];

	options->stop = &interrupted;
	c->options = options;
	c->result = mmap(NULL, sizeof(*c->result), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->result == MAP_FAILED) {
		c->result = NULL;
		return cannot_start(errno);
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return cannot_start(errno);
	watch_signals();
	fork_child(c, ends);
	if (c->pid < 0) {
		int error = errno;

		replay_child_run(c, false);
		return cannot_start(error);
	}
	return wait_for_byte(c->socket) ? EXIT_OK : replay_child_run(c, false);
}

static int end_of(const struct replay_child *c)
{
	int status = 0;

	while (c->pid > 0 && waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		;
	child = 0;
	if (c->pid > 0 && WIFSIGNALED(status)) {
		pr_err("the process of the replay was ended by a signal: %s%s",
		       strsignal(WTERMSIG(status)),
		       WTERMSIG(status) == SIGKILL && *c->group->path
			       ? "; it may have needed more memory than --memory allows"
			       : "");
		return EXIT_FAILED;
	}
	return WEXITSTATUS(status);
}

int replay_child_run(struct replay_child *c, bool play)
{
	int code;

	/* If it is gone, that is what waiting says. */
	if (play && send(c->socket, "", 1, MSG_NOSIGNAL) != 1)
		pr_debug("the process of the replay is gone");
	close(c->socket);
	code = end_of(c);
	forget_signals();
	return code;
}

void replay_child_end(struct replay_child *c)
{
	if (c->result)
		munmap(c->result, sizeof(*c->result));
	c->result = NULL;
}
