/* SPDX-License-Identifier: MIT */
/* One thread's part of a replay on files: its descriptors, and each operation as a system call. */
#ifndef BLKREEL_REPLAY_FILES_ACTION_H
#define BLKREEL_REPLAY_FILES_ACTION_H

#include "replay/files/script.h"
#include "replay/files/tree.h"

struct file_actor;

struct file_actor_counts {
	uint64_t moved_bytes;	 /* by the last operation */
	uint64_t not_direct;	 /* files opened without O_DIRECT: the file system has none */
	uint64_t reopened_files; /* readahead began anew: too many descriptors at a time */
};

/* `counts` is kept up. NULL: no memory. */
struct file_actor *file_actor__create(const struct file_tree *tree,
				      const struct file_script *script, bool write,
				      struct file_actor_counts *counts);
void file_actor__free(struct file_actor *a); /* NULL is allowed */

/* Does it. 0; 1: fewer bytes were moved than asked for; negative errno. */
int file_actor__do(struct file_actor *a, const struct file_op *op);

/*
 * A page behind the end of a mapped file is a SIGBUS: from here to the end it is an error of the
 * operation (-EFAULT) for the threads that are in file_actor__do().
 */
void file_actor_catch_faults(void);
void file_actor_release_faults(void);

#endif
