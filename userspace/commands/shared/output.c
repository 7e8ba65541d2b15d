// SPDX-License-Identifier: MIT
#include "commands/shared/output.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "base/log.h"
#include "trace/file/trace_kind.h"
#include "trace/rows.h"

volatile sig_atomic_t cmd_interrupted;

static void interrupt(int signal_number)
{
	cmd_interrupted = signal_number;
}

void cmd_catch_signals(void (*handler)(int signal_number))
{
	struct sigaction action = {.sa_handler = handler};

	sigaddset(&action.sa_mask, SIGINT);
	sigaddset(&action.sa_mask, SIGTERM);
	sigaddset(&action.sa_mask, SIGXCPU);
	sigaddset(&action.sa_mask, SIGHUP);

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGXCPU, &action, NULL);
	if (signal(SIGHUP, SIG_DFL) == SIG_IGN)
		signal(SIGHUP, SIG_IGN);
	else
		sigaction(SIGHUP, &action, NULL);
}

void cmd_watch_signals(void)
{
	cmd_catch_signals(interrupt);
}

bool cmd_output_is_input(const char *output, char *const *paths, unsigned int count)
{
	struct stat out, in;

	if (stat(output, &out))
		return false;
	for (unsigned int i = 0; i < count; i++)
		if (!stat(paths[i], &in) && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return true;
	return false;
}

int cmd_output_error(const char *output, int err)
{
	char message[TRACE_PATH_MAX + 256];

	output_file__explain(output, &trace_kind, err, message, sizeof(message));
	if ((err == -ENOSPC || err == -EDQUOT || err == -EFBIG) && !access(output, F_OK))
		pr_err("%s; the trace of that name is as it was", message);
	else
		pr_err("%s", message);
	return EXIT_FAILED;
}

int cmd_output_interrupted(const char *output)
{
	pr_info("interrupted: %s was not made", output);
	return 128 + cmd_interrupted;
}
