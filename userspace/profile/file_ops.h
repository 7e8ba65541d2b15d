/* SPDX-License-Identifier: MIT */
/*
 * Operations on files as requests of the model: what touches pages to read them is a read, what
 * writes a write, a sync a flush. Which operation it was, and its flags, are kept in flags that
 * have this meaning only in a profile of files.
 */
#ifndef BLKREEL_PROFILE_FILE_OPS_H
#define BLKREEL_PROFILE_FILE_OPS_H

#include "trace/rows.h"

/* False for operations that a profile of files has not: advice, truncate, invalidate. */
bool file_op_is_kept(enum access_op op);

/* op and flags of a request for an operation that is kept. */
enum io_op file_op_to_io(enum access_op op, uint32_t access_flags, uint32_t *io_flags);

enum access_op file_op_of_io(enum io_op op, uint32_t io_flags);

/* Of enum access_flags. */
uint32_t file_op_flags(enum io_op op, uint32_t io_flags);

/* True for what goes past the page cache. */
bool file_op_is_direct(enum access_op op);

/* enum access_op or -EINVAL: no operation, or one that is left out. */
int file_op_from_name(const char *name);

/* The access flags that an operation can have: dirtied is of faults, datasync of syncs ... */
uint32_t file_op_flags_of(enum access_op op);

#endif
