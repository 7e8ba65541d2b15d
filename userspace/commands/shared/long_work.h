/* SPDX-License-Identifier: MIT */
/* For commands that may take long: progress, and an end by a signal that says what was not made. */
#ifndef BLKREEL_COMMANDS_SHARED_LONG_WORK_H
#define BLKREEL_COMMANDS_SHARED_LONG_WORK_H

/* The sum of the sizes of the files, for progress_start(); 0 if one is no regular file. */
double cmd_bytes_of(char *const *paths, unsigned int count);

/*
 * From now on SIGINT, SIGTERM, SIGXCPU (ulimit -t) and SIGHUP (unless ignored, by nohup(1)) end the
 * process with 128 + their number. It prints the text, or that the output is whole if it got its
 * name before, and leaves no part of a file.
 */
void cmd_end_at_signal(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
