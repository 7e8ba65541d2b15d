/* SPDX-License-Identifier: MIT */
/*
 * The files that operations are replayed on: one for each file of the trace, named by its id, in a
 * directory of their own. Nothing outside of the directory is touched, and in it only files that
 * were laid out here.
 */
#ifndef BLKREEL_REPLAY_FILES_TREE_H
#define BLKREEL_REPLAY_FILES_TREE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "replay/files/script.h"

#define FILE_TREE_MESSAGE_MAX 4608

struct file_tree {
	int folder;
	dev_t device;	     /* that the folder lies on */
	uint64_t laid_bytes; /* bytes that had to be written to lay it out */
	bool existed;	     /* it has files of an earlier replay */
	const char *path;
};

/*
 * Creates the directory `path`, which may exist if it is empty or was laid out before, and checks
 * that the files fit. Writes only the mark. 0; -EEXIST: there is something else; -ENOSPC: they do
 * not fit; other negative errno. `message` holds a sentence.
 */
int file_tree__open(struct file_tree *t, const char *path, const struct file_script *script,
		    char message[FILE_TREE_MESSAGE_MAX]);
/* Gives every file its initial size, filled with data and synced. Returns as above. */
int file_tree__lay_out(struct file_tree *t, const struct file_script *script,
		       char message[FILE_TREE_MESSAGE_MAX]);
enum file_cache {
	FILE_CACHE_COLD = 0,
	FILE_CACHE_WARM,	/* all of the files is read */
	FILE_CACHE_AS_RECORDED, /* the parts that are `resident` are read */
};

/*
 * Drops the files from the page cache, then reads into it what `cache` says, until *stop is set.
 * *cached_bytes: how much is cached then; UINT64_MAX: the kernel does not tell. Returns as above.
 */
int file_tree__set_cache(const struct file_tree *t, const struct file_script *script,
			 enum file_cache cache, const volatile sig_atomic_t *stop,
			 uint64_t *cached_bytes, char message[FILE_TREE_MESSAGE_MAX]);
/* Closes the directory; the files stay. */
void file_tree__close(struct file_tree *t);

/* Opens a file. A descriptor, or negative errno. Only a regular file with one name is opened. */
int file_tree__open_file(const struct file_tree *t, uint32_t id, int flags);

/* Fills a buffer with bytes that do not compress. */
void file_tree_fill(uint64_t *words, uint64_t count, uint64_t seed);

#endif
