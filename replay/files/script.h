/* SPDX-License-Identifier: MIT */
/*
 * What a replay of the operations on files does: the access rows of a trace, checked, in the order
 * of their times and divided among threads, and how large each file has to be before the first.
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
 * Reads all of `reader`, which is at its start. Only rows in `window` count. Without `write`
 * what changes a file is left out. `s` is zeroed but for find_resident; to be released also after errors. 0; -ENODATA: no
 * such rows; -EINVAL: rows that no recording has; -E2BIG: too many, or files too large for find_resident; -ENOMEM; or what the reader
 * returned, then without a message. Except after that `message` holds a sentence.
 */
int file_script__load(struct file_script *s, struct trace_reader *reader,
		      const struct replay_window *window, bool write,
		      char message[FILE_SCRIPT_MESSAGE_MAX]);
/* Files of a profile are there from the start, as large as it says. */
void file_script__enlarge(struct file_script *s, const struct profile_files *files);
void file_script__release(struct file_script *s);

/* True for a file of which, though pages were missed again and again, nothing was read ahead. */
bool file_need_is_random(const struct file_need *need);

#endif
