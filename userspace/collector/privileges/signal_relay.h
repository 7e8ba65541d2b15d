/* SPDX-License-Identifier: MIT */
/*
 * Passes signals on to CMD for a recorder that has given up the right to send them: a process of
 * its own that can do nothing else.
 */
#ifndef BLKREEL_COLLECTOR_PRIVILEGES_SIGNAL_RELAY_H
#define BLKREEL_COLLECTOR_PRIVILEGES_SIGNAL_RELAY_H

#include <sys/types.h>

/*
 * Starts the relay to the process `to`, a child of the caller. It ends when the descriptor is
 * closed, and with the caller. The descriptor, or negative errno.
 */
int signal_relay__start(pid_t to);

/* Asks the relay to send `signal_number`. */
void signal_relay__send(int relay_fd, int signal_number);

#endif
