// SPDX-License-Identifier: MIT
#include "profile/placement/starts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 256u
#define ROOM_MAX   (1u << 18)

void starts_release(struct starts *s)
{
	free(s->places);
	*s = (struct starts){0};
}

static void drop_stale(struct starts *s, const struct lru_stack *stack)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->count; i++)
		if (lru_stack__is_live(stack, s->places[i]))
			s->places[kept++] = s->places[i];
	s->count = kept;
}

void starts_move(struct starts *s, const struct lru_stack *stack)
{
	drop_stale(s, stack);
	for (uint32_t i = 0; i < s->count; i++)
		s->places[i] = lru_stack__moved(stack, s->places[i]);
}

static int make_room(struct starts *s, const struct lru_stack *stack)
{
	uint32_t room = s->room ? 2 * s->room : FIRST_ROOM;
	uint32_t *places;

	drop_stale(s, stack);
	if (s->room && s->count <= s->room / 2)
		return 0;
	if (s->room == ROOM_MAX) {
		uint32_t dropped = s->count / 4;

		s->count -= dropped;
		memmove(s->places, s->places + dropped, s->count * sizeof(*s->places));
		return 0;
	}
	places = realloc(s->places, room * sizeof(*places));
	if (!places)
		return -ENOMEM;
	s->places = places;
	s->room = room;
	return 0;
}

int starts_add(struct starts *s, uint32_t place, const struct lru_stack *stack)
{
	if (s->count == s->room) {
		int err = make_room(s, stack);

		if (err)
			return err;
	}
	s->places[s->count++] = place;
	return 0;
}

/* No branch depends on what is compared: every second one would be guessed wrong. */
uint32_t starts_from(const struct starts *s, uint32_t place)
{
	const uint32_t *from = s->places;

	if (!s->count)
		return 0;
	for (uint32_t left = s->count; left > 1;) {
		uint32_t half = left / 2;

		left -= half;
		/* Of what is left either half may be the next. */
		__builtin_prefetch(&from[left / 2]);
		__builtin_prefetch(&from[half + left / 2]);
		from += (from[half - 1] < place) * half;
	}
	return (uint32_t)(from - s->places) + (*from < place);
}
