/* SPDX-License-Identifier: MIT */
/* Checks whether a trace still has its name when the recording ends. */
#ifndef BLKREEL_COMMANDS_RECORD_OUTPUT_CHECK_H
#define BLKREEL_COMMANDS_RECORD_OUTPUT_CHECK_H

/*
 * Opens the file that has this name now. A descriptor for record_output_check(); -1: not possible.
 */
int record_output_hold(const char *path);

/*
 * Prints a line if the recording, which has ended well, does not have this name any more. EXIT_OK
 * if it has another name, EXIT_FAILED if it has none. Closes `held`.
 */
int record_output_check(int held, const char *path);

#endif
