// SPDX-License-Identifier: MIT
#include "replay/source/write_numbers.h"

#include <errno.h>
#include <stdlib.h>

struct write_numbers {
	struct replay_source base;
	struct replay_source *below;
	uint64_t last;
};

static int write_numbers_next(struct replay_source *base, struct replay_io *io)
{
	struct write_numbers *n = (struct write_numbers *)base;
	int err = replay_source__next(n->below, io);

	if (err > 0)
		io->number = replay_op_changes_data(io->op) && io->length_bytes ? ++n->last : 0;
	return err;
}

static void write_numbers_free(struct replay_source *base)
{
	free(base);
}

static const struct replay_source_ops write_numbers_ops = {
	.next = write_numbers_next,
	.free = write_numbers_free,
};

int write_numbers__create(struct replay_source *below, struct replay_source **source)
{
	struct write_numbers *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->base.ops = &write_numbers_ops;
	n->below = below;
	*source = &n->base;
	return 0;
}
