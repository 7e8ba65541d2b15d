/* SPDX-License-Identifier: MIT */
/* What became of the name of a trace while it was recorded. */
#ifndef BLKREEL_COMMANDS_RECORD_OUTPUT_CHECK_H
#define BLKREEL_COMMANDS_RECORD_OUTPUT_CHECK_H

/* Holds on to the file that has this name now. A descriptor for record_output_check(); -1: it cannot. */
int record_output_hold(const char *path);

/*
 * Says in one line that the recording, which has ended well, does not have this name any more. EXIT_OK where it
 * is whole under another one, EXIT_FAILED where it has none. Closes `held`.
 */
int record_output_check(int held, const char *path);

#endif
