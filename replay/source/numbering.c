// SPDX-License-Identifier: MIT
#include "replay/source/numbering.h"

#include <errno.h>
#include <stdlib.h>

struct numbered {
	struct replay_source base;
	struct replay_source *below;
	uint64_t last;
};

static int numbered_next(struct replay_source *base, struct replay_io *io)
{
	struct numbered *n = (struct numbered *)base;
	int err = replay_source__next(n->below, io);

	if (err > 0)
		io->number = replay_op_changes_data(io->op) && io->length_bytes ? ++n->last : 0;
	return err;
}

static void numbered_free(struct replay_source *base)
{
	free(base);
}

static const struct replay_source_ops numbered_ops = {
	.next = numbered_next,
	.free = numbered_free,
};

int numbered__create(struct replay_source *below, struct replay_source **source)
{
	struct numbered *n = calloc(1, sizeof(*n));

	if (!n)
		return -ENOMEM;
	n->base.ops = &numbered_ops;
	n->below = below;
	*source = &n->base;
	return 0;
}
