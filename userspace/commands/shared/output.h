/* SPDX-License-Identifier: MIT */
/* For the commands that write a trace from what they read. */
#ifndef BLKREEL_COMMANDS_SHARED_OUTPUT_H
#define BLKREEL_COMMANDS_SHARED_OUTPUT_H

#include <signal.h>
#include <stdbool.h>

/* The signal that asked for an end; 0: none. */
extern volatile sig_atomic_t cmd_interrupted;

/* From now on SIGINT, SIGTERM, SIGXCPU (ulimit -t) and SIGHUP (unless ignored, by nohup(1)) only set
 * cmd_interrupted. */
void cmd_watch_signals(void);

/* From now on these signals call `handler`, one at a time. */
void cmd_catch_signals(void (*handler)(int signal_number));

/* Whether `output` is one of the files, under any name: writing it would empty an input. */
bool cmd_output_is_input(const char *output, char *const *paths, unsigned int count);

/* Prints why the trace `output`, opened with `replace_at_close`, could not be written (negative
 * errno). EXIT_FAILED. */
int cmd_output_error(const char *output, int err);

/* The same for a trace that cmd_interrupted interrupted. 128 + that signal. */
int cmd_output_interrupted(const char *output);

#endif
