/* SPDX-License-Identifier: MIT */
/*
 * Creates the file of a trace safely: a user who may write in a folder on the path (/tmp, another
 * home) can neither redirect the trace nor get to read it.
 */
#ifndef BLKREEL_TRACE_FILE_OUTPUT_FILE_H
#define BLKREEL_TRACE_FILE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens `path` for reading and writing: empty, locked, mode 0600. The file is new, or an empty file
 * or a trace that belongs to the effective user and has no other hard link. 0 and *fd, which the
 * caller closes; -EEXIST: the file is no trace, or with `must_be_new` any file exists; -ELOOP:
 * `path` is a symbolic link; -EXDEV: the path contains a symbolic link that another user could have
 * made; -EUSERS: the file belongs to another user; -EMLINK: it has more hard links; -EBUSY: another
 * writer has locked it; other negative errno.
 */
int output_file__open(const char *path, bool must_be_new, int *fd);

struct output_file;

/*
 * The same without `must_be_new`, but an existing file keeps its content: the new file is made
 * beside it and replaces it at output_file__end(). The caller closes *fd before that.
 */
int output_file__begin(const char *path, struct output_file **file, int *fd);

/*
 * With `keep` the new file gets the requested name, durably; else it is removed. Frees `file` (NULL
 * is allowed). 0; -EBUSY: another file has the name by now, and stays; -ENOENT: the new file was
 * removed meanwhile; other negative errno.
 */
int output_file__end(struct output_file *file, bool keep);

/* Removes a file that output_file__open() made, if `path` still leads to a file of this user. */
void output_file__remove(const char *path);

/*
 * Predicts the result of output_file__open() without opening anything: checks the rights of the
 * real user, but not the content of the file.
 */
int output_file__check(const char *path);

/* Fills `message` with a sentence and the remedy for an error of output_file__open(). */
void output_file__explain(const char *path, int err, char *message, size_t bytes);

#endif
