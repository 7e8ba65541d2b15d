/* SPDX-License-Identifier: MIT */
/* Whether a regular file holds data that nobody may lose without having named the file. */
#ifndef BLKREEL_REPLAY_TARGET_FILE_DATA_H
#define BLKREEL_REPLAY_TARGET_FILE_DATA_H

#include <stdbool.h>

/*
 * False when the file is empty, all holes, all zeroes, or what a replay left in it. `fd` is not O_DIRECT. When this
 * cannot be found out: true.
 */
bool file_data__has(int fd);

/*
 * Marks the file: all that it holds is what a replay wrote. The mark is valid until somebody else writes to the file.
 * File systems without extended attributes keep none.
 */
void file_data__mark(int fd);

#endif
