// SPDX-License-Identifier: MIT
#include "profile/closed.h"

#include "profile/arithmetic.h"
#include "trace/rows.h"

unsigned int closed_depth_class(uint64_t depth)
{
	if (depth <= CLOSED_DEPTHS_EXACT)
		return depth ? (unsigned int)depth : 1;
	return at_most(CLOSED_DEPTHS_EXACT + bits_of(depth - 1) - 5, CLOSED_DEPTHS - 1);
}

uint64_t closed_depth_least(unsigned int class)
{
	return class <= CLOSED_DEPTHS_EXACT ? class
					    : (1ull << (class - CLOSED_DEPTHS_EXACT + 4)) + 1;
}

unsigned int closed_op(unsigned int op)
{
	/* Read, write, flush and discard are the first of an enum io_op. */
	return at_most(op, CLOSED_OPS - 1);
}

const char *closed_op_name(unsigned int closed_op)
{
	static const char *const names[CLOSED_OPS] = {"read", "write", "flush", "discard", "other"};

	return names[closed_op];
}

unsigned int closed_size(uint64_t bytes)
{
	unsigned int size = 0;

	while (size < CLOSED_SIZES - 1 && bytes > closed_size_bytes(size))
		size++;
	return size;
}

uint64_t closed_size_bytes(unsigned int size)
{
	return 4096ull << (2 * size);
}

const uint32_t *closed_awaited(const struct closed_tasks *tasks, uint64_t n)
{
	uint64_t row = n < CLOSED_ROWS ? n : CLOSED_ROWS;

	for (; row > 1; row--)
		if (sum_of_weights(tasks->awaited[row - 1], CLOSED_AWAITED))
			return tasks->awaited[row - 1];
	return tasks->awaited[0];
}
