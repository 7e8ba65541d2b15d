// SPDX-License-Identifier: MIT
#include "commands/shared/long_work.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/output_file.h"
#include "commands/shared/output.h"

double cmd_bytes_of(char *const *paths, unsigned int count)
{
	double bytes = 0;

	for (unsigned int i = 0; i < count; i++) {
		struct stat file;

		if (stat(paths[i], &file) || !S_ISREG(file.st_mode))
			return 0;
		bytes += (double)file.st_size;
	}
	return bytes;
}

static char not_made[PATH_MAX + 128];

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return; /* nobody reads it */
}

/* Only what a signal handler may call. */
static void end(int signal_number)
{
	output_file__abandon();
	progress_clear();
	say("blkreel: interrupted: ");
	say(output_file__is_made() ? "the output is whole" : not_made);
	say("\n");
	_exit(128 + signal_number);
}

void cmd_end_at_signal(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(not_made, sizeof(not_made), fmt, args);
	va_end(args);
	for (char *at = not_made; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	cmd_catch_signals(end);
}
