/* SPDX-License-Identifier: MIT */
/*
 * A replay in mode dependent on a computed device: every IO takes `factor` times what it took when
 * it was recorded, however many there are. No clock and no IO.
 */
#ifndef BLKREEL_TESTS_UNIT_PROFILE_CLOSED_LOOP_SIMULATED_H
#define BLKREEL_TESTS_UNIT_PROFILE_CLOSED_LOOP_SIMULATED_H

#include "replay/source/dependence.h"
#include "replay/engine/dependents.h"

struct simulated_end {
	uint64_t time_ns;
	uint32_t stream;
	bool uncounted;
};

struct simulated {
	uint64_t ios, duration_ns, depth_sum;
	uint32_t count;
	struct simulated_end ends[1u << 16]; /* a heap */
};

static void simulated_push(struct simulated *s, struct simulated_end end)
{
	uint32_t at = s->count++;

	for (; at && end.time_ns < s->ends[(at - 1) / 2].time_ns; at = (at - 1) / 2)
		s->ends[at] = s->ends[(at - 1) / 2];
	s->ends[at] = end;
}

static struct simulated_end simulated_pop(struct simulated *s)
{
	struct simulated_end first = s->ends[0], last = s->ends[--s->count];
	uint32_t at = 0, child;

	while ((child = 2 * at + 1) < s->count) {
		if (child + 1 < s->count && s->ends[child + 1].time_ns < s->ends[child].time_ns)
			child++;
		if (last.time_ns <= s->ends[child].time_ns)
			break;
		s->ends[at] = s->ends[child];
		at = child;
	}
	s->ends[at] = last;
	return first;
}

/* Plays all of `below`, of which every completion is known. Returns the time that it took, ns. */
static uint64_t simulated_replay(struct replay_source *below, uint64_t factor, double *mean_depth)
{
	struct simulated *s = calloc(1, sizeof(*s));
	struct replay_source *source;
	struct dependents *dependents;
	const struct replay_io *next;
	uint64_t due_ns, now_ns = 0;
	bool more = true;

	if (!s || dependence_source__create(below, &source) ||
	    dependents__create(0, 1.0, &dependents))
		abort();
	for (;;) {
		struct replay_io io;
		enum dependents_state state;

		while (more && !dependents__full(dependents)) {
			more = replay_source__next(source, &io) > 0;
			if (more && dependents__add(dependents, &io))
				abort();
		}
		state = dependents__peek(dependents, &next, &due_ns);
		if (state == DEPENDENTS_READY && (!s->count || due_ns <= s->ends[0].time_ns)) {
			now_ns = due_ns > now_ns ? due_ns : now_ns;
			simulated_push(s, (struct simulated_end){
						  now_ns + (next->done_ns - next->due_ns) * factor,
						  next->wait.stream, next->wait.uncounted});
			s->ios++;
			s->depth_sum += s->count;
			dependents__submitted(dependents, now_ns);
		} else if (s->count) {
			struct simulated_end end = simulated_pop(s);

			now_ns = end.time_ns;
			if (!end.uncounted)
				dependents__completed(dependents, end.stream, now_ns);
		} else {
			break;
		}
	}
	if (mean_depth)
		*mean_depth = s->ios ? (double)s->depth_sum / (double)s->ios : 0;
	replay_source__free(source);
	dependents__free(dependents);
	free(s);
	return now_ns;
}

#endif
