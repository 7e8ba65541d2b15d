#include "workload/lru_stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workload/block_map.h"

#define FIRST_PLACES 4096u

#define WORD_PLACES 64u
#define AHEAD	    8u /* blocks that are looked up soon */

struct lru_stack {
	struct block_map places; /* block -> place */
	uint64_t *blocks;	 /* by place */
	uint64_t *live_bits;	 /* by 64 places */
	uint32_t *tree;		 /* Fenwick, 1-based: live places of the words that are full */
	uint32_t room;		 /* a power of two */
	uint32_t next;		 /* place of the next touch */
	uint32_t live;
	uint32_t oldest; /* no live place below this one */
	void (*before_move)(void *context);
	void *move_context;
};

void lru_stack__free(struct lru_stack *s)
{
	if (!s)
		return;
	block_map_release(&s->places);
	free(s->blocks);
	free(s->live_bits);
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
	s->live_bits = calloc(s->room / WORD_PLACES, sizeof(*s->live_bits));
	s->tree = calloc(s->room / WORD_PLACES + 1, sizeof(*s->tree));
	if (!s->blocks || !s->live_bits || !s->tree || block_map_init(&s->places)) {
		lru_stack__free(s);
		return -ENOMEM;
	}
	*stack = s;
	return 0;
}

static bool is_live(const struct lru_stack *s, uint32_t place)
{
	return s->live_bits[place / WORD_PLACES] >> (place % WORD_PLACES) & 1;
}

/* Without an instruction for it that every machine has, the compiler would call a function. */
static uint32_t bits_in(uint64_t word)
{
	word -= word >> 1 & 0x5555555555555555ull;
	word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (uint32_t)(word * 0x0101010101010101ull >> 56);
}

static void tree_add(struct lru_stack *s, uint32_t word, uint32_t change)
{
	for (uint32_t i = word + 1; i <= s->room / WORD_PLACES; i += i & -i)
		s->tree[i] += change;
}

/* Live places in [0, place]. */
static uint32_t live_up_to(const struct lru_stack *s, uint32_t place)
{
	uint32_t sum = bits_in(s->live_bits[place / WORD_PLACES]
			       << (WORD_PLACES - 1 - place % WORD_PLACES));

	for (uint32_t i = place / WORD_PLACES; i; i -= i & -i)
		sum += s->tree[i];
	return sum;
}

/* The position of the set bit with `rank` set bits below it. */
static uint32_t bit_of_rank(uint64_t word, uint32_t rank)
{
	uint32_t at = 0;

	for (uint32_t width = 32; width; width /= 2) {
		uint32_t below = bits_in(word & ((1ull << width) - 1));

		if (below > rank)
			continue;
		rank -= below;
		word >>= width;
		at += width;
	}
	return at;
}

/* The place of the live one with `rank` live ones before it. */
static uint32_t place_of_rank(const struct lru_stack *s, uint32_t rank)
{
	uint32_t full = s->next / WORD_PLACES, at = 0;

	for (uint32_t step = s->room / WORD_PLACES; step; step >>= 1) {
		if (at + step > full || s->tree[at + step] > rank)
			continue;
		at += step;
		rank -= s->tree[at];
	}
	return at * WORD_PLACES + bit_of_rank(s->live_bits[at], rank);
}

static int make_room(struct lru_stack *s, uint32_t room)
{
	uint64_t *blocks = realloc(s->blocks, room * sizeof(*blocks)), *bits;
	uint32_t *tree;

	if (!blocks)
		return -ENOMEM;
	s->blocks = blocks;
	bits = realloc(s->live_bits, room / WORD_PLACES * sizeof(*bits));
	if (!bits)
		return -ENOMEM;
	s->live_bits = bits;
	tree = realloc(s->tree, (room / WORD_PLACES + 1ull) * sizeof(*tree));
	if (!tree)
		return -ENOMEM;
	s->tree = tree;
	s->room = room;
	return 0;
}

/* Moves the live together; the map knows them, or is empty. */
static int move_together(struct lru_stack *s)
{
	uint32_t to = 0;
	int err = 0;

	for (uint32_t word = 0; word * WORD_PLACES < s->next; word++) {
		uint64_t bits = s->live_bits[word];

		for (; bits; bits &= bits - 1)
			s->blocks[to++] =
				s->blocks[word * WORD_PLACES + (uint32_t)__builtin_ctzll(bits)];
	}
	for (uint32_t i = 0; i < to && !err; i++) {
		if (i + AHEAD < to)
			block_map_prefetch(&s->places, s->blocks[i + AHEAD]);
		err = block_map_set(&s->places, s->blocks[i], i);
	}
	s->next = to;
	s->oldest = 0;
	return err;
}

static void count_again(struct lru_stack *s)
{
	memset(s->live_bits, 0, s->room / WORD_PLACES * sizeof(*s->live_bits));
	memset(s->tree, 0, (s->room / WORD_PLACES + 1ull) * sizeof(*s->tree));
	for (uint32_t i = 0; i < s->next / WORD_PLACES; i++) {
		s->live_bits[i] = UINT64_MAX;
		tree_add(s, i, WORD_PLACES);
	}
	if (s->next % WORD_PLACES)
		s->live_bits[s->next / WORD_PLACES] = (1ull << s->next % WORD_PLACES) - 1;
}

/* Squeezes out the dead, and makes the line longer where that would be needed often. */
static int squeeze(struct lru_stack *s)
{
	int err;

	if (s->before_move)
		s->before_move(s->move_context);
	err = move_together(s);
	if (!err && s->next > s->room / 4)
		err = s->room < (1u << 30) ? make_room(s, s->room * 2) : -ENOMEM;
	if (!err)
		count_again(s);
	return err;
}

static void bury(struct lru_stack *s, uint32_t place)
{
	uint32_t word = place / WORD_PLACES;

	s->live_bits[word] &= ~(1ull << place % WORD_PLACES);
	if (word < s->next / WORD_PLACES)
		tree_add(s, word, UINT32_MAX);
	s->live--;
}

static int touch(struct lru_stack *s, uint64_t block, bool *found, uint32_t *place)
{
	uint32_t word;
	int err;

	if (s->next == s->room) {
		err = squeeze(s);
		if (err)
			return err;
	}
	err = block_map_swap(&s->places, block, s->next, found, place);
	if (err)
		return err;
	word = s->next / WORD_PLACES;
	s->blocks[s->next] = block;
	s->live_bits[word] |= 1ull << s->next % WORD_PLACES;
	s->live++;
	if (++s->next % WORD_PLACES == 0)
		tree_add(s, word, bits_in(s->live_bits[word]));
	return 0;
}

int lru_stack__touch(struct lru_stack *s, uint64_t block, uint64_t *distance)
{
	uint32_t place;
	bool found;
	int err = touch(s, block, &found, &place);

	*distance = LRU_COLD;
	if (err || !found)
		return err;
	*distance = s->live - live_up_to(s, place) - 1;
	bury(s, place);
	return 0;
}

int lru_stack__push(struct lru_stack *s, uint64_t block)
{
	uint32_t place;
	bool found;
	int err = touch(s, block, &found, &place);

	if (!err && found)
		bury(s, place);
	return err;
}

uint32_t lru_stack__at(const struct lru_stack *s, uint64_t distance)
{
	return place_of_rank(s, s->live - 1 - (uint32_t)distance);
}

uint32_t lru_stack__top(const struct lru_stack *s)
{
	return s->next - 1;
}

bool lru_stack__is_live(const struct lru_stack *s, uint32_t place)
{
	return is_live(s, place);
}

uint64_t lru_stack__block(const struct lru_stack *s, uint32_t place)
{
	return s->blocks[place];
}

uint64_t lru_stack__distance(const struct lru_stack *s, uint32_t place)
{
	return s->live - live_up_to(s, place);
}

uint32_t lru_stack__moved(const struct lru_stack *s, uint32_t place)
{
	return live_up_to(s, place) - 1;
}

void lru_stack__before_move(struct lru_stack *s, void (*before_move)(void *context), void *context)
{
	s->before_move = before_move;
	s->move_context = context;
}

bool lru_stack__find(const struct lru_stack *s, uint64_t block, uint64_t *distance)
{
	uint32_t place;

	if (!block_map_get(&s->places, block, &place))
		return false;
	*distance = lru_stack__distance(s, place);
	return true;
}

void lru_stack__prefetch(const struct lru_stack *s, uint64_t block)
{
	block_map_prefetch(&s->places, block);
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
	while (!is_live(s, s->oldest))
		s->oldest++;
	if (s->oldest + AHEAD < s->next)
		block_map_prefetch(&s->places, s->blocks[s->oldest + AHEAD]);
	block_map_remove(&s->places, s->blocks[s->oldest]);
	bury(s, s->oldest);
}

int lru_stack__filter(struct lru_stack *s, bool (*keep)(uint64_t block, void *context),
		      void *context)
{
	for (uint32_t place = 0; place < s->next; place++)
		if (is_live(s, place) && !keep(s->blocks[place], context))
			bury(s, place);
	block_map_clear(&s->places);
	return squeeze(s);
}
