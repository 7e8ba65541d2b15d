/* SPDX-License-Identifier: MIT */
/* Messages for people, all to stderr: "blkreel: text". Results never go through here. */
#ifndef BLKREEL_BASE_LOG_H
#define BLKREEL_BASE_LOG_H

#include <stdarg.h>
#include <stdbool.h>

enum log_level {
	LOG_QUIET = 0, /* errors only */
	LOG_NORMAL,    /* + warnings and notes */
	LOG_VERBOSE,   /* + debug */
};

void log_set_level(enum log_level level);
enum log_level log_level(void);

void pr_err(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pr_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pr_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void pr_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * The text alone, to stderr. In this and all above, control characters become '?': a file name must
 * neither make a second line nor reach the terminal as an escape sequence.
 */
void log_text(const char *fmt, va_list args) __attribute__((format(printf, 1, 0)));

/*
 * One line of progress on stderr, rewritten in place, at most six times a second and only when
 * stderr is a terminal (or BLKREEL_FORCE_PROGRESS is set, for tests). progress_end() clears it;
 * every pr_*() clears it first.
 */
void progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void progress_end(void);
bool progress_enabled(void);
/* Clears the line; a signal handler may call it. */
void progress_clear(void);

#endif
