// SPDX-License-Identifier: MIT
#include "replay/source/repeat.h"

#include <errno.h>
#include <stdlib.h>

struct repeat {
	struct replay_source base;
	struct repeat_options options;
	struct replay_source *below;
	uint64_t rounds_begun;
	uint64_t offset_ns;
};

static int begin_round(struct repeat *r)
{
	if (r->rounds_begun &&
	    __builtin_add_overflow(r->offset_ns, r->options.period_ns, &r->offset_ns))
		return -ERANGE;
	r->rounds_begun++;
	return r->options.again(r->options.context, &r->below);
}

static int repeat_next(struct replay_source *base, struct replay_io *io)
{
	struct repeat *r = (struct repeat *)base;
	int err = 0;

	if (r->below)
		err = replay_source__next(r->below, io);
	if (!err && r->rounds_begun < r->options.rounds) {
		err = begin_round(r);
		if (!err)
			err = replay_source__next(r->below, io);
	}
	if (err <= 0)
		return err;
	io->due_ns += r->offset_ns;
	if (io->done_ns)
		io->done_ns += r->offset_ns;
	return 1;
}

static void repeat_free(struct replay_source *base)
{
	struct repeat *r = (struct repeat *)base;

	replay_source__free(r->below);
	free(r);
}

static const struct replay_source_ops repeat_ops = {
	.next = repeat_next,
	.free = repeat_free,
};

int repeat__create(const struct repeat_options *options, struct replay_source **source)
{
	struct repeat *r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->base.ops = &repeat_ops;
	r->options = *options;
	*source = &r->base;
	return 0;
}

uint64_t repeat__period_ns(uint64_t ios, uint64_t last_due_ns)
{
	return last_due_ns + (ios > 1 ? last_due_ns / (ios - 1) : 0);
}
