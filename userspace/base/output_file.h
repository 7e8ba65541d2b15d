/* SPDX-License-Identifier: MIT */
/*
 * Creates files for what blkreel writes: a user who may write in a folder on the path (/tmp, another
 * home) can neither redirect the file nor get to read one that is private. tools/lint finds every
 * other place that opens a file for writing.
 */
#ifndef BLKREEL_BASE_OUTPUT_FILE_H
#define BLKREEL_BASE_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#define OUTPUT_HEAD_BYTES 1024

/* What a file is to hold, and so which existing file it may replace. */
struct output_kind {
	const char *name; /* "trace", for messages */
	/* Whether a file that begins with these bytes (and a NUL) is of this kind; NULL: no existing
	 * file is replaced. */
	bool (*is_one)(const char *head, size_t bytes);
	bool is_private; /* mode 0600, and only the effective user's own file is replaced */
	bool follows;	 /* also a symbolic link in place of the file, if it can be trusted */
	bool streams;	 /* FIFOs, character devices and open descriptors are written to, too */
};

/*
 * Opens `path` for reading and writing: empty and locked. The file is new, or it replaces the
 * content of one that is empty or of this kind and has no other hard link. 0 and *fd, which the
 * caller closes; -EEXIST: the file is something else, or with `must_be_new` any file exists;
 * -ELOOP: `path` is a symbolic link; -EXDEV: the path contains a symbolic link that another user
 * could have made; -EUSERS: the file belongs to another user; -EMLINK: it has more hard links;
 * -EBUSY: another writer has locked it; other negative errno.
 */
int output_file__open(const char *path, const struct output_kind *kind, bool must_be_new, int *fd);

struct output_file;

/*
 * The same without `must_be_new`, but the path gets the file only at output_file__end(): until then
 * an existing file keeps its content, and of a process that is killed nothing is left. The caller
 * closes *fd before that. *file is NULL for a stream, which is written to at once.
 */
int output_file__begin(const char *path, const struct output_kind *kind, struct output_file **file,
		       int *fd);

/*
 * With `keep` the new file gets the requested name, durably; else it is removed. Frees `file` (NULL
 * is allowed). 0; -EBUSY: another file has the name by now, and stays; other negative errno.
 */
int output_file__end(struct output_file *file, bool keep);

/*
 * For a signal handler that ends the process: removes what an output_file__begin() without its end
 * has left under a name; and whether an output_file__end() has given its file the requested name.
 */
void output_file__abandon(void);
bool output_file__is_made(void);

/*
 * Removes a file that output_file__open() made, if `path` still leads to it: to the file of this
 * fstat(2), which is this user's.
 */
void output_file__remove(const char *path, const struct output_kind *kind, const struct stat *made);

/*
 * Predicts the result of output_file__open() without opening anything: checks the rights of the
 * real user, but not the content of the file.
 */
int output_file__check(const char *path, const struct output_kind *kind);

/* Fills `message` with a sentence and the remedy for an error of the functions above. */
void output_file__explain(const char *path, const struct output_kind *kind, int err, char *message,
			  size_t bytes);

#endif
