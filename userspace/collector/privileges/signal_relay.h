/* SPDX-License-Identifier: MIT */
/*
 * Passes signals on to CMD for a recorder that has given up CAP_KILL: a separate process that can
 * do nothing else.
 */
#ifndef BLKREEL_COLLECTOR_PRIVILEGES_SIGNAL_RELAY_H
#define BLKREEL_COLLECTOR_PRIVILEGES_SIGNAL_RELAY_H

#include <sys/types.h>

/*
 * Starts the relay to the process `to`, a child of the caller. The relay ends when the descriptor
 * is closed or the caller ends. Returns the descriptor, or negative errno.
 */
int signal_relay__start(pid_t to);

/* Asks the relay to send `signal_number`; a failure is logged. */
void signal_relay__send(int relay_fd, int signal_number);

#endif
