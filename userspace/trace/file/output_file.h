/* SPDX-License-Identifier: MIT */
/*
 * Where a trace is created: so that whoever may write in a folder on the way to it (/tmp, the home
 * of somebody else) can neither lead it elsewhere nor come to read it.
 */
#ifndef BLKREEL_TRACE_FILE_OUTPUT_FILE_H
#define BLKREEL_TRACE_FILE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens `path` for reading and writing, empty, locked, with mode 0600: a new file, or one that is
 * empty or a trace, belongs to the effective user and has this one name. 0 and *fd, which the
 * caller closes; -EEXIST: something else than a trace is there, or with `must_be_new` anything; -ELOOP: `path` is a symbolic link;
 * -EXDEV: the way to it leads over a symbolic link that somebody else could have made; -EUSERS:
 * the file belongs to another user; -EMLINK: it has further names (hard links); -EBUSY: another
 * writer has it; other negative errno.
 */
int output_file__open(const char *path, bool must_be_new, int *fd);

struct output_file;

/*
 * The same without `must_be_new`, but a file that is there keeps its content: the new one is made beside
 * it, and takes its place with output_file__end(). *fd is to be closed before that.
 */
int output_file__begin(const char *path, struct output_file **file, int *fd);

/* `keep`: the new file is whole, and gets the name that was asked for, to have it after a crash, too; else it is
 * removed. Frees `file` (NULL is allowed). 0; -EBUSY: something else has that name by now, and stays; -ENOENT: it was
 * removed meanwhile; other negative errno. */
int output_file__end(struct output_file *file, bool keep);

/* Removes a file that output_file__open() made, if `path` still leads to a file of this user. */
void output_file__remove(const char *path);

/* What output_file__open() would return, as far as that can be known without opening anything: by
 * the rights of the real user, and without a look into the file. */
int output_file__check(const char *path);

/* A sentence for the user, with the remedy, about what output_file__open() returned. */
void output_file__explain(const char *path, int err, char *message, size_t bytes);

#endif
