// SPDX-License-Identifier: MIT
#include "base/log.h"

#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PROGRESS_INTERVAL_NS (1000000000ull / 6)

static enum log_level current_level = LOG_NORMAL;
static volatile sig_atomic_t progress_shown;

void log_set_level(enum log_level level)
{
	current_level = level;
}

enum log_level log_level(void)
{
	return current_level;
}

void log_text(const char *fmt, va_list args)
{
	char *text;

	if (vasprintf(&text, fmt, args) < 0) {
		fputs("(no memory for the message)", stderr);
		return;
	}
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	fputs(text, stderr);
	free(text);
}

static void print_line(enum log_level level, const char *prefix, const char *fmt, va_list args)
{
	if (level > current_level)
		return;
	/* Several threads log: a line must not be split. */
	flockfile(stderr);
	progress_end();
	fprintf(stderr, "blkreel: %s", prefix);
	log_text(fmt, args);
	fputc('\n', stderr);
	funlockfile(stderr);
}

#define DEFINE_PRINT(name, level, prefix)             \
	void name(const char *fmt, ...)               \
	{                                             \
		va_list args;                         \
                                                      \
		va_start(args, fmt);                  \
		print_line(level, prefix, fmt, args); \
		va_end(args);                         \
	}

DEFINE_PRINT(pr_err, LOG_QUIET, "")
DEFINE_PRINT(pr_warn, LOG_NORMAL, "warning: ")
DEFINE_PRINT(pr_info, LOG_NORMAL, "")
DEFINE_PRINT(pr_debug, LOG_VERBOSE, "debug: ")

bool progress_enabled(void)
{
	if (current_level < LOG_NORMAL)
		return false;
	return isatty(STDERR_FILENO) || getenv("BLKREEL_FORCE_PROGRESS");
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

void progress(const char *fmt, ...)
{
	static uint64_t last_ns;
	uint64_t this_ns = now_ns();
	va_list args;

	if (!progress_enabled() || this_ns - last_ns < PROGRESS_INTERVAL_NS)
		return;
	last_ns = this_ns;
	fputs("\r\033[K", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fflush(stderr);
	progress_shown = true;
}

void progress_end(void)
{
	if (!progress_shown)
		return;
	fputs("\r\033[K", stderr);
	fflush(stderr);
	progress_shown = false;
}

void progress_clear(void)
{
	static const char clear[] = "\r\033[K";

	if (progress_shown && write(STDERR_FILENO, clear, sizeof(clear) - 1) > 0)
		progress_shown = false;
}
