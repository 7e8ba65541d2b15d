// SPDX-License-Identifier: MIT
#include "replay/source/dependence.h"

#include <errno.h>
#include <stdlib.h>

struct dependence_source {
	struct replay_source base;
	struct replay_source *below;
	struct dependence *dependence;
};

static int dependence_source_next(struct replay_source *base, struct replay_io *io)
{
	struct dependence_source *s = (struct dependence_source *)base;
	struct dependence_io of_io;
	int err = replay_source__next(s->below, io);

	if (err <= 0)
		return err;
	of_io = (struct dependence_io){
		.due_ns = io->due_ns,
		.done_ns = io->done_ns,
		.offset_bytes = io->offset_bytes,
		.length_bytes = io->length_bytes,
		.task = io->task,
		.write = io->op == REPLAY_WRITE,
		.flush = io->op == REPLAY_FLUSH,
		.kernel = io->flags & REPLAY_KERNEL,
		.background = io->flags & REPLAY_BACKGROUND,
	};
	err = dependence__add(s->dependence, &of_io, &io->wait);
	return err ? err : 1;
}

static void dependence_source_free(struct replay_source *base)
{
	struct dependence_source *s = (struct dependence_source *)base;

	dependence__free(s->dependence);
	free(s);
}

static const struct replay_source_ops dependence_source_ops = {
	.next = dependence_source_next,
	.free = dependence_source_free,
};

int dependence_source__create(struct replay_source *below, struct replay_source **source)
{
	struct dependence_source *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	*s = (struct dependence_source){.base = {&dependence_source_ops}, .below = below};
	if (dependence__create(&s->dependence)) {
		free(s);
		return -ENOMEM;
	}
	*source = &s->base;
	return 0;
}
