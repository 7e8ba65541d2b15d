// SPDX-License-Identifier: MIT
#include "replay/source/profile.h"

#include <errno.h>
#include <stdlib.h>

#include "profile/closed_loop/closed_loop.h"

struct profile_source {
	struct replay_source base;
	struct closed_loop *loop;
	struct replay_window window;
	uint64_t first_ns;
	bool started;
};

/* As trace.c does for a recording. */
static void set_waited(const struct closed_row *from, uint64_t first_ns, struct replay_io *io)
{
	const struct io_row *row = &from->row;

	io->task = from->task;
	if (!io->task)
		return;
	io->done_ns = row->completed_ns - first_ns;
	if (!from->kernel)
		return;
	io->flags |= REPLAY_KERNEL;
	if (row->op == IO_OP_WRITE && !(row->flags & (IO_SYNC | IO_FUA | IO_PREFLUSH)))
		io->flags |= REPLAY_BACKGROUND;
}

static int profile_source_next(struct replay_source *base, struct replay_io *io)
{
	struct profile_source *s = (struct profile_source *)base;
	struct closed_row row;
	int err;

	while ((err = closed_loop__next(s->loop, &row)) > 0) {
		if (row.row.created_ns >= s->window.to_ns)
			return 0;
		if (row.row.created_ns < s->window.from_ns)
			continue;
		if (!s->started)
			s->first_ns = row.row.created_ns;
		s->started = true;
		err = replay_io_from_row(&row.row, io);
		if (err)
			return err;
		io->due_ns = row.row.created_ns - s->first_ns;
		set_waited(&row, s->first_ns, io);
		return 1;
	}
	return err;
}

static void profile_source_free(struct replay_source *base)
{
	struct profile_source *s = (struct profile_source *)base;

	closed_loop__free(s->loop);
	free(s);
}

static const struct replay_source_ops profile_source_ops = {
	.next = profile_source_next,
	.free = profile_source_free,
};

int profile_source__create(const struct profile *profile, uint64_t seed,
			   const struct replay_window *window, struct replay_source **source)
{
	struct profile_source *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	err = closed_loop__create(profile, seed, 0, &s->loop);
	if (err) {
		free(s);
		return err;
	}
	s->base.ops = &profile_source_ops;
	s->window = *window;
	*source = &s->base;
	return 0;
}

int profile_source__survey(const struct profile *profile, uint64_t seed,
			   const struct replay_window *window, struct replay_survey *survey)
{
	struct replay_source *source;
	struct replay_io io;
	int err;

	*survey = (struct replay_survey){0};
	err = profile_source__create(profile, seed, window, &source);
	if (err)
		return err;
	while ((err = replay_source__next(source, &io)) > 0)
		replay_survey__add(survey, &io);
	replay_source__free(source);
	return err;
}
