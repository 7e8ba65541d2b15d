/* SPDX-License-Identifier: MIT */
/*
 * The files that operations are replayed on: one per file of the trace, called by its id, in a
 * folder of their own. Nothing outside of the folder is touched, and in it only what was laid out
 * here before.
 */
#ifndef BLKREEL_REPLAY_FILES_TREE_H
#define BLKREEL_REPLAY_FILES_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "replay/files/script.h"

#define FILE_TREE_MESSAGE_MAX 4608

struct file_tree {
	int folder;
	dev_t device;	     /* that the folder lies on */
	uint64_t laid_bytes; /* that had to be written for it */
	bool existed;	     /* and had files from a replay before */
	const char *path;
};

/*
 * Makes the folder `path`, which may exist if it is empty or was laid out before, and looks
 * whether the files fit. Writes no file yet but the mark. 0; -EEXIST: there is something else;
 * -ENOSPC: they do not fit; other negative errno. `message` holds a sentence.
 */
int file_tree__open(struct file_tree *t, const char *path, const struct file_script *script,
		    char message[FILE_TREE_MESSAGE_MAX]);
/* Brings every file to its initial size, with data in all of it, on the disk. The same. */
int file_tree__lay_out(struct file_tree *t, const struct file_script *script,
		       char message[FILE_TREE_MESSAGE_MAX]);
enum file_cache {
	FILE_CACHE_COLD = 0,
	FILE_CACHE_WARM,	/* the files are read */
	FILE_CACHE_AS_RECORDED, /* what is `resident` of them is */
};

/*
 * Takes the files out of the page cache, and then reads into it what `cache` says. *cached_bytes: of them what is
 * there then, UINT64_MAX: the kernel does not tell.
 */
int file_tree__set_cache(const struct file_tree *t, const struct file_script *script,
			 enum file_cache cache, uint64_t *cached_bytes,
			 char message[FILE_TREE_MESSAGE_MAX]);
void file_tree__close(struct file_tree *t);

/* A descriptor of the file, or negative errno. Only a regular file with one name is opened. */
int file_tree__open_file(const struct file_tree *t, uint32_t id, int flags);

/* Fills a buffer with bytes that do not compress. */
void file_tree_fill(uint64_t *words, uint64_t count, uint64_t seed);

#endif
