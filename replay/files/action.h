/* SPDX-License-Identifier: MIT */
/* One thread of a replay on files: its descriptors, and each operation as a system call. */
#ifndef BLKREEL_REPLAY_FILES_ACTION_H
#define BLKREEL_REPLAY_FILES_ACTION_H

#include "replay/files/script.h"
#include "replay/files/tree.h"

struct file_actor;

struct file_actor_counts {
	uint64_t moved_bytes;	 /* by the last operation */
	uint64_t not_direct;	 /* files opened without O_DIRECT: the file system has none */
	uint64_t reopened_files; /* files reopened, for lack of descriptors: readahead began anew */
};

/* Updates `counts`. NULL: no memory. */
struct file_actor *file_actor__create(const struct file_tree *tree,
				      const struct file_script *script, bool write,
				      struct file_actor_counts *counts);
void file_actor__free(struct file_actor *a); /* NULL is allowed */

/* Does the operation. 0; 1: fewer bytes were moved than asked for; negative errno. */
int file_actor__do(struct file_actor *a, const struct file_op *op);

/*
 * Access behind the end of a mapped file raises SIGBUS. From this call to
 * file_actor_release_faults() it is an error of the operation (-EFAULT) for threads that are in
 * file_actor__do().
 */
void file_actor_catch_faults(void);
/* Restores how SIGBUS was handled. */
void file_actor_release_faults(void);

#endif
