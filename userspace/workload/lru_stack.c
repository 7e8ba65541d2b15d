#include "workload/lru_stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workload/block_map.h"

#define FIRST_PLACES 4096u
#define DEAD	     UINT64_MAX

struct lru_stack {
	struct block_map places; /* block -> place */
	uint64_t *blocks;	 /* by place; DEAD: nothing there any more */
	uint32_t *tags;
	uint32_t *tree; /* Fenwick, 1-based: live places */
	uint32_t room;	/* a power of two */
	uint32_t next;	/* place of the next touch */
	uint32_t live;
	uint32_t oldest; /* no live place below this one */
};

void lru_stack__free(struct lru_stack *s)
{
	if (!s)
		return;
	block_map_release(&s->places);
	free(s->blocks);
	free(s->tags);
	free(s->tree);
	free(s);
}

int lru_stack__create(struct lru_stack **stack)
{
	struct lru_stack *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->room = FIRST_PLACES;
	s->blocks = malloc(s->room * sizeof(*s->blocks));
	s->tags = malloc(s->room * sizeof(*s->tags));
	s->tree = calloc(s->room + 1, sizeof(*s->tree));
	if (!s->blocks || !s->tags || !s->tree || block_map_init(&s->places)) {
		lru_stack__free(s);
		return -ENOMEM;
	}
	*stack = s;
	return 0;
}

static void tree_add(struct lru_stack *s, uint32_t place, int32_t change)
{
	for (uint32_t i = place + 1; i <= s->room; i += i & -i)
		s->tree[i] += (uint32_t)change;
}

/* Live places in [0, place]. */
static uint32_t tree_sum(const struct lru_stack *s, uint32_t place)
{
	uint32_t sum = 0;

	for (uint32_t i = place + 1; i; i -= i & -i)
		sum += s->tree[i];
	return sum;
}

/* The place of the live one with `rank` live ones before it. */
static uint32_t tree_select(const struct lru_stack *s, uint32_t rank)
{
	uint32_t at = 0;

	for (uint32_t step = s->room; step; step >>= 1) {
		if (at + step > s->room || s->tree[at + step] > rank)
			continue;
		at += step;
		rank -= s->tree[at];
	}
	return at;
}

static int make_room(struct lru_stack *s, uint32_t room)
{
	uint64_t *blocks = realloc(s->blocks, room * sizeof(*blocks));
	uint32_t *tags, *tree;

	if (!blocks)
		return -ENOMEM;
	s->blocks = blocks;
	tags = realloc(s->tags, room * sizeof(*tags));
	if (!tags)
		return -ENOMEM;
	s->tags = tags;
	tree = realloc(s->tree, (room + 1ull) * sizeof(*tree));
	if (!tree)
		return -ENOMEM;
	s->tree = tree;
	s->room = room;
	return 0;
}

/* The line is full: squeezes out the dead, and doubles it when most are alive. */
static int squeeze(struct lru_stack *s)
{
	uint32_t to = 0;
	int err = 0;

	for (uint32_t from = 0; from < s->next && !err; from++) {
		if (s->blocks[from] == DEAD)
			continue;
		s->blocks[to] = s->blocks[from];
		s->tags[to] = s->tags[from];
		err = block_map_set(&s->places, s->blocks[to], to);
		to++;
	}
	if (!err && to > s->room / 2)
		err = s->room < (1u << 30) ? make_room(s, s->room * 2) : -ENOMEM;
	if (err)
		return err;
	s->next = to;
	s->oldest = 0;
	memset(s->tree, 0, (s->room + 1ull) * sizeof(*s->tree));
	for (uint32_t i = 1; i <= s->room; i++) {
		uint32_t above = i + (i & -i);

		s->tree[i] += i <= to;
		if (above <= s->room)
			s->tree[above] += s->tree[i];
	}
	return 0;
}

static void bury(struct lru_stack *s, uint32_t place)
{
	tree_add(s, place, -1);
	s->blocks[place] = DEAD;
	s->live--;
}

int lru_stack__touch(struct lru_stack *s, uint64_t block, uint32_t tag, uint64_t *distance)
{
	uint32_t place;
	int err;

	if (s->next == s->room) {
		err = squeeze(s);
		if (err)
			return err;
	}
	*distance = LRU_COLD;
	if (block_map_get(&s->places, block, &place)) {
		*distance = s->live - tree_sum(s, place);
		bury(s, place);
	}
	err = block_map_set(&s->places, block, s->next);
	if (err)
		return err;
	s->blocks[s->next] = block;
	s->tags[s->next] = tag;
	tree_add(s, s->next, 1);
	s->next++;
	s->live++;
	return 0;
}

void lru_stack__at(const struct lru_stack *s, uint64_t distance, uint64_t *block, uint32_t *tag)
{
	uint32_t place = tree_select(s, s->live - 1 - (uint32_t)distance);

	*block = s->blocks[place];
	*tag = s->tags[place];
}

bool lru_stack__find(const struct lru_stack *s, uint64_t block, uint64_t *distance, uint32_t *tag)
{
	uint32_t place;

	if (!block_map_get(&s->places, block, &place))
		return false;
	*distance = s->live - tree_sum(s, place);
	*tag = s->tags[place];
	return true;
}

bool lru_stack__contains(const struct lru_stack *s, uint64_t block)
{
	uint32_t place;

	return block_map_get(&s->places, block, &place);
}

uint64_t lru_stack__blocks(const struct lru_stack *s)
{
	return s->live;
}

void lru_stack__drop_oldest(struct lru_stack *s)
{
	if (!s->live)
		return;
	while (s->blocks[s->oldest] == DEAD)
		s->oldest++;
	block_map_remove(&s->places, s->blocks[s->oldest]);
	bury(s, s->oldest);
}

void lru_stack__filter(struct lru_stack *s, bool (*keep)(uint64_t block, void *context),
		       void *context)
{
	for (uint32_t place = 0; place < s->next; place++) {
		if (s->blocks[place] == DEAD || keep(s->blocks[place], context))
			continue;
		block_map_remove(&s->places, s->blocks[place]);
		bury(s, place);
	}
}
