/* SPDX-License-Identifier: MIT */
/*
 * The script of a replay on files: the access rows of a trace, checked, in order of time and
 * divided among threads, and how large each file has to be before the first.
 */
#ifndef BLKREEL_REPLAY_FILES_SCRIPT_H
#define BLKREEL_REPLAY_FILES_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"
#include "replay/files/operations.h"
#include "replay/source/window.h"
#include "trace/file/reader.h"

#define FILE_SCRIPT_MESSAGE_MAX 256

/*
 * Reads all of `reader`, which is at its start. Only rows in `window` count. Without `write`,
 * operations that change a file are left out. `s` is zero except find_resident; release it also
 * after errors. 0; -ENODATA: no such rows; -EINVAL: rows that no recording has; -E2BIG: too many,
 * or files too large for find_resident; -ENOMEM; or what the reader returned, then without a
 * message. Otherwise `message` holds a sentence.
 */
int file_script__load(struct file_script *s, struct trace_reader *reader,
		      const struct replay_window *window, bool write,
		      char message[FILE_SCRIPT_MESSAGE_MAX]);
/* Gives the files the sizes that a profile says, from the start. */
void file_script__enlarge(struct file_script *s, const struct profile_files *files);
/* Frees the operations and files. */
void file_script__release(struct file_script *s);

/* True for a file that missed pages repeatedly, but of which nothing was read ahead. */
bool file_need_is_random(const struct file_need *need);

#endif
