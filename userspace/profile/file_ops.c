// SPDX-License-Identifier: MIT
#include "profile/file_ops.h"

#include <errno.h>
#include <string.h>

/* Rare kinds of streams that differ in these two are the last to be folded. */
#define VARIANT	 (IO_FUA | IO_PREFLUSH)
#define IO_URING IO_SYNC
#define KERNEL	 IO_PRIO
#define OWN	 IO_META /* the flag that only this operation can have */

static const struct {
	enum io_op op;
	uint32_t variant;
	uint32_t own; /* of enum access_flags */
} operations[] = {
	[ACCESS_READ] = {IO_OP_READ, 0, 0},
	[ACCESS_FAULT] = {IO_OP_READ, IO_FUA, ACCESS_DIRTIED},
	[ACCESS_SPLICE] = {IO_OP_READ, IO_PREFLUSH, 0},
	[ACCESS_DIRECT_READ] = {IO_OP_READ, IO_FUA | IO_PREFLUSH, 0},
	[ACCESS_WRITE] = {IO_OP_WRITE, 0, ACCESS_WAITS},
	[ACCESS_DIRECT_WRITE] = {IO_OP_WRITE, IO_FUA | IO_PREFLUSH, ACCESS_WAITS},
	[ACCESS_SYNC] = {IO_OP_FLUSH, 0, ACCESS_DATASYNC},
};

#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

bool file_op_is_kept(enum access_op op)
{
	return op < OPERATIONS;
}

bool file_op_is_direct(enum access_op op)
{
	return op == ACCESS_DIRECT_READ || op == ACCESS_DIRECT_WRITE;
}

enum io_op file_op_to_io(enum access_op op, uint32_t access_flags, uint32_t *io_flags)
{
	*io_flags = operations[op].variant | (access_flags & ACCESS_IO_URING ? IO_URING : 0u) |
		    (access_flags & ACCESS_KERNEL ? KERNEL : 0u) |
		    (access_flags & operations[op].own ? OWN : 0u);
	return operations[op].op;
}

enum access_op file_op_of_io(enum io_op op, uint32_t io_flags)
{
	for (unsigned int i = 0; i < OPERATIONS; i++)
		if (operations[i].op == op && operations[i].variant == (io_flags & VARIANT))
			return (enum access_op)i;
	return op == IO_OP_WRITE ? ACCESS_WRITE : op == IO_OP_READ ? ACCESS_READ : ACCESS_SYNC;
}

uint32_t file_op_flags(enum io_op op, uint32_t io_flags)
{
	return (io_flags & IO_URING ? (uint32_t)ACCESS_IO_URING : 0u) |
	       (io_flags & KERNEL ? (uint32_t)ACCESS_KERNEL : 0u) |
	       (io_flags & OWN ? operations[file_op_of_io(op, io_flags)].own : 0u);
}

int file_op_from_name(const char *name)
{
	for (unsigned int i = 0; i < OPERATIONS; i++)
		if (!strcmp(name, access_op_name((enum access_op)i)))
			return (int)i;
	return -EINVAL;
}

uint32_t file_op_flags_of(enum access_op op)
{
	return ACCESS_IO_URING | ACCESS_KERNEL | operations[op].own;
}
