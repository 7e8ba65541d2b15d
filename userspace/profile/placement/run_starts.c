// SPDX-License-Identifier: MIT
#include "profile/placement/run_starts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 256u
#define CAPACITY_MAX   (1u << 18)

void run_starts_release(struct run_starts *s)
{
	free(s->positions);
	*s = (struct run_starts){0};
}

static void drop_stale(struct run_starts *s, const struct lru_stack *stack)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->count; i++)
		if (lru_stack__is_live(stack, s->positions[i]))
			s->positions[kept++] = s->positions[i];
	s->count = kept;
}

void run_starts_move(struct run_starts *s, const struct lru_stack *stack)
{
	drop_stale(s, stack);
	for (uint32_t i = 0; i < s->count; i++)
		s->positions[i] = lru_stack__moved(stack, s->positions[i]);
}

static int make_capacity(struct run_starts *s, const struct lru_stack *stack)
{
	uint32_t capacity = s->capacity ? 2 * s->capacity : FIRST_CAPACITY;
	uint32_t *positions;

	drop_stale(s, stack);
	if (s->capacity && s->count <= s->capacity / 2)
		return 0;
	if (s->capacity == CAPACITY_MAX) {
		uint32_t dropped = s->count / 4;

		s->count -= dropped;
		memmove(s->positions, s->positions + dropped, s->count * sizeof(*s->positions));
		return 0;
	}
	positions = realloc(s->positions, capacity * sizeof(*positions));
	if (!positions)
		return -ENOMEM;
	s->positions = positions;
	s->capacity = capacity;
	return 0;
}

int run_starts_add(struct run_starts *s, uint32_t position, const struct lru_stack *stack)
{
	if (s->count == s->capacity) {
		int err = make_capacity(s, stack);

		if (err)
			return err;
	}
	s->positions[s->count++] = position;
	return 0;
}

/* No branch depends on what is compared: every second one would be guessed wrong. */
uint32_t run_starts_from(const struct run_starts *s, uint32_t position)
{
	const uint32_t *from = s->positions;

	if (!s->count)
		return 0;
	for (uint32_t left = s->count; left > 1;) {
		uint32_t half = left / 2;

		left -= half;
		/* Of what is left either half may be the next. */
		__builtin_prefetch(&from[left / 2]);
		__builtin_prefetch(&from[half + left / 2]);
		from += (from[half - 1] < position) * half;
	}
	return (uint32_t)(from - s->positions) + (*from < position);
}
