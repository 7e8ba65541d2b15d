// SPDX-License-Identifier: MIT
#include "replay/source/recorded_depth.h"

#include <errno.h>
#include <stdlib.h>

#include "workload/figures/depth_counter.h"

struct recorded_depth {
	struct replay_source base;
	struct replay_source *below;
	struct depth_counter *counter;
	uint32_t highest;
};

static int recorded_depth_next(struct replay_source *base, struct replay_io *io)
{
	struct recorded_depth *d = (struct recorded_depth *)base;
	int err = replay_source__next(d->below, io);
	uint32_t depth;

	if (err <= 0 || !io->done_ns)
		return err;
	depth = depth_counter__add(d->counter, io->due_ns, io->done_ns);
	if (depth > d->highest)
		d->highest = depth;
	return err;
}

static void recorded_depth_free(struct replay_source *base)
{
	struct recorded_depth *d = (struct recorded_depth *)base;

	depth_counter__free(d->counter);
	free(d);
}

static const struct replay_source_ops recorded_depth_ops = {
	.next = recorded_depth_next,
	.free = recorded_depth_free,
};

int recorded_depth__create(struct replay_source *below, struct replay_source **source)
{
	struct recorded_depth *d = calloc(1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	if (depth_counter__create(&d->counter)) {
		free(d);
		return -ENOMEM;
	}
	d->base.ops = &recorded_depth_ops;
	d->below = below;
	*source = &d->base;
	return 0;
}

uint32_t recorded_depth__highest(const struct replay_source *source)
{
	return ((const struct recorded_depth *)source)->highest;
}
