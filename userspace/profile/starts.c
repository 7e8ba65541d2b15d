#include "profile/starts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 256u
#define ROOM_MAX   (1u << 18)

void starts_release(struct starts *s)
{
	free(s->items);
	*s = (struct starts){0};
}

static void drop_stale(struct starts *s, const struct lru_stack *stack)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		uint64_t distance;
		uint32_t tag;

		if (lru_stack__find(stack, s->items[i].block, &distance, &tag) &&
		    tag == s->items[i].sequence)
			s->items[kept++] = s->items[i];
	}
	s->count = kept;
}

static int make_room(struct starts *s, const struct lru_stack *stack)
{
	uint32_t room = s->room ? 2 * s->room : FIRST_ROOM;
	struct start *items;

	drop_stale(s, stack);
	if (s->room && s->count <= s->room / 2)
		return 0;
	if (s->room == ROOM_MAX) {
		uint32_t dropped = s->count / 4;

		s->count -= dropped;
		memmove(s->items, s->items + dropped, s->count * sizeof(*s->items));
		return 0;
	}
	items = realloc(s->items, room * sizeof(*items));
	if (!items)
		return -ENOMEM;
	s->items = items;
	s->room = room;
	return 0;
}

int starts_add(struct starts *s, uint64_t block, uint32_t sequence, const struct lru_stack *stack)
{
	if (s->count == s->room) {
		int err = make_room(s, stack);

		if (err)
			return err;
	}
	s->items[s->count++] = (struct start){block, sequence};
	return 0;
}

uint32_t starts_from(const struct starts *s, uint32_t sequence)
{
	uint32_t low = 0, high = s->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if ((int32_t)(s->items[middle].sequence - sequence) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
