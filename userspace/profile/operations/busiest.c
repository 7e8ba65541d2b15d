// SPDX-License-Identifier: MIT
#include <errno.h>

#include "profile/closed_loop/closed_loop.h"
#include "profile/operations/operations.h"

/* The same IOs twice: those that come into the stretch, and those that go out of it. */
struct stretch {
	struct closed_loop *coming, *going;
	struct closed_row first; /* the next that goes out */
	uint64_t ios;
};

static int start(struct stretch *s, const struct profile *p)
{
	int err = closed_loop__create(p, p->seed, 0, &s->coming);

	if (!err)
		err = closed_loop__create(p, p->seed, 0, &s->going);
	return err ? err : closed_loop__next(s->going, &s->first);
}

/* Takes an IO in, and those out that are `length_ns` or more before it. */
static int move(struct stretch *s, uint64_t created_ns, uint64_t length_ns)
{
	s->ios++;
	while (created_ns - s->first.row.created_ns >= length_ns) {
		int got = closed_loop__next(s->going, &s->first);

		if (got < 0)
			return got;
		s->ios--;
	}
	return 0;
}

int profile__busiest(const struct profile *p, uint64_t length_ns, uint64_t *from_ns)
{
	struct stretch s = {0};
	uint64_t most = 0, generated = 0;
	struct closed_row row;
	int got = start(&s, p);

	*from_ns = 0;
	while (got > 0 && (got = closed_loop__next(s.coming, &row)) > 0) {
		int err = ++generated > PROFILE_COMBINE_MAX
				  ? -ERANGE
				  : move(&s, row.row.created_ns, length_ns);

		if (err)
			got = err;
		else if (s.ios > most) {
			most = s.ios;
			*from_ns = s.first.row.created_ns;
		}
	}
	closed_loop__free(s.coming);
	closed_loop__free(s.going);
	return got;
}
