/* SPDX-License-Identifier: MIT */
/* Signals of a command that watches until it is ended. */
#ifndef BLKREEL_COMMANDS_SHARED_SIGNALS_H
#define BLKREEL_COMMANDS_SHARED_SIGNALS_H

#include <stdbool.h>

/*
 * Blocks the signals that end the command, and gives a descriptor (signalfd) to read them from:
 * SIGINT, SIGTERM, and SIGHUP unless nohup(1) ignores it; with `on_screen` also SIGWINCH and
 * SIGTSTP, which matter only there. The caller closes it. Negative errno on failure.
 */
int signals__watch(bool on_screen);

#endif
