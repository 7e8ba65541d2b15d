/* SPDX-License-Identifier: MIT */
/*
 * Why a step of a replay failed, and the exit code for it. The functions of a session fill it and return -1; the
 * command prints it and exits with the code.
 */
#ifndef BLKREEL_REPLAY_SESSION_FAILURE_H
#define BLKREEL_REPLAY_SESSION_FAILURE_H

#define FAILURE_TEXT_MAX 12288 /* a refusal names two paths; room for a second message */

/* All zero: nothing failed. */
struct failure {
	int exit_code; /* enum exit_code, or 128 + a signal; of the first message */
	char text
		[FAILURE_TEXT_MAX]; /* one message a line, without "\n" at the end; "": no message */
};

/* Adds a message. Control characters in it become '?', so that it stays one line. Returns -1. */
int failure_add(struct failure *f, int exit_code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds "MESSAGE: text of the errno" with EXIT_FAILED; `err` may be positive or negative. Returns -1. */
int failure_add_errno(struct failure *f, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds an exit code without a message. Returns -1. */
int failure_add_code(struct failure *f, int exit_code);

/* Adds the messages and the exit code of another failure, of which there may be none. */
void failure_merge(struct failure *into, const struct failure *from);

#endif
