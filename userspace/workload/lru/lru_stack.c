// SPDX-License-Identifier: MIT
#include "workload/lru/lru_stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workload/lru/block_bits.h"
#include "workload/lru/block_map.h"
#include "workload/lru/rank_tree.h"

#define FIRST_PLACES 4096u

#define WORD_PLACES   64u
#define AHEAD	      96u /* prefetch distance, in blocks */
#define DROPPED_AHEAD 96u

struct lru_stack {
	struct block_map places;   /* block -> place */
	struct block_bits present; /* the expected blocks that are in the map */
	uint64_t *blocks;	   /* by place */
	uint64_t *live_bits;	   /* by 64 places */
	uint64_t *mark_bits;	   /* by 64 places; NULL: not kept */
	bool mark;
	struct rank_tree tree; /* live places of the words that are full */
	uint32_t allocated;    /* a power of two */
	uint32_t next;	       /* place of the next touch */
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
	block_bits_release(&s->present);
	free(s->blocks);
	free(s->live_bits);
	free(s->mark_bits);
	rank_tree_release(&s->tree);
	free(s);
}

int lru_stack__create(struct lru_stack **stack)
{
	struct lru_stack *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->allocated = FIRST_PLACES;
	s->blocks = malloc(s->allocated * sizeof(*s->blocks));
	s->live_bits = calloc(s->allocated / WORD_PLACES, sizeof(*s->live_bits));
	if (!s->blocks || !s->live_bits || rank_tree_init(&s->tree, s->allocated / WORD_PLACES) ||
	    block_map_init(&s->places)) {
		lru_stack__free(s);
		return -ENOMEM;
	}
	*stack = s;
	return 0;
}

int lru_stack__expect(struct lru_stack *s, uint64_t first, uint64_t count)
{
	return count <= BLOCK_BITS_MAX ? block_bits_init(&s->present, first, count) : 0;
}

int lru_stack__keep_marks(struct lru_stack *s)
{
	s->mark_bits = calloc(s->allocated / WORD_PLACES, sizeof(*s->mark_bits));
	return s->mark_bits ? 0 : -ENOMEM;
}

void lru_stack__mark(struct lru_stack *s, bool marked)
{
	s->mark = marked;
}

static void set_mark(struct lru_stack *s, uint32_t place, bool marked)
{
	uint64_t bit = 1ull << place % WORD_PLACES, *word = &s->mark_bits[place / WORD_PLACES];

	*word = marked ? *word | bit : *word & ~bit;
}

static bool is_live(const struct lru_stack *s, uint32_t place)
{
	return s->live_bits[place / WORD_PLACES] >> (place % WORD_PLACES) & 1;
}

/*
 * Not __builtin_popcountll(): without a popcount instruction on every machine it is a function
 * call.
 */
static uint32_t bits_in(uint64_t word)
{
	word -= word >> 1 & 0x5555555555555555ull;
	word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (uint32_t)(word * 0x0101010101010101ull >> 56);
}

/* Live places in [0, place]. */
static inline uint32_t live_up_to(const struct lru_stack *s, uint32_t place)
{
	return rank_tree_before(&s->tree, place / WORD_PLACES) +
	       bits_in(s->live_bits[place / WORD_PLACES]
		       << (WORD_PLACES - 1 - place % WORD_PLACES));
}

/* The position of the set bit with `rank` set bits below it. */
static uint32_t bit_of_rank(uint64_t word, uint32_t rank)
{
	uint64_t pairs = word - (word >> 1 & 0x5555555555555555ull), sums, behind;
	uint32_t at;

	sums = (pairs & 0x3333333333333333ull) + (pairs >> 2 & 0x3333333333333333ull);
	sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0full) * 0x0101010101010101ull;
	/*
	 * Each byte of `sums` counts the bits up to its end; skip the bytes with no more than
	 * `rank`.
	 */
	behind = ((rank | 0x80ull) * 0x0101010101010101ull - sums) & 0x8080808080808080ull;
	at = (uint32_t)((behind >> 7) * 0x0101010101010101ull >> 56) * 8;
	rank -= at ? (uint32_t)(sums >> (at - 8)) & 0xff : 0;
	for (word >>= at; rank; rank--)
		word &= word - 1;
	return at + (uint32_t)__builtin_ctzll(word);
}

/* The live place with `rank` live places before it. */
static uint32_t place_of_rank(const struct lru_stack *s, uint32_t rank)
{
	uint32_t at = rank_tree_find(&s->tree, s->next / WORD_PLACES, &rank);

	return at * WORD_PLACES + bit_of_rank(s->live_bits[at], rank);
}

static int grow(struct lru_stack *s, uint32_t allocated)
{
	uint64_t *blocks = realloc(s->blocks, allocated * sizeof(*blocks)), *bits;
	struct rank_tree tree;

	if (!blocks)
		return -ENOMEM;
	s->blocks = blocks;
	bits = realloc(s->live_bits, allocated / WORD_PLACES * sizeof(*bits));
	if (!bits)
		return -ENOMEM;
	s->live_bits = bits;
	if (s->mark_bits) {
		bits = realloc(s->mark_bits, allocated / WORD_PLACES * sizeof(*bits));
		if (!bits)
			return -ENOMEM;
		s->mark_bits = bits;
	}
	if (rank_tree_init(&tree, allocated / WORD_PLACES))
		return -ENOMEM;
	rank_tree_release(&s->tree);
	s->tree = tree;
	s->allocated = allocated;
	return 0;
}

/* Whether the block at `place` has another map entry than the block before. */
static bool starts_entry(const struct lru_stack *s, uint32_t place)
{
	return s->blocks[place] / BLOCK_MAP_NEIGHBOURS !=
	       s->blocks[place - 1] / BLOCK_MAP_NEIGHBOURS;
}

/* Moves the live places together. The map holds their blocks, or is empty. */
static int move_live(struct lru_stack *s)
{
	uint32_t to = 0, *values = NULL;
	uint64_t line = 0;

	for (uint32_t word = 0; word * WORD_PLACES < s->next; word++) {
		uint64_t bits = s->live_bits[word];

		for (; bits; bits &= bits - 1) {
			uint32_t from = word * WORD_PLACES + (uint32_t)__builtin_ctzll(bits);

			if (s->mark_bits)
				set_mark(s, to, lru_stack__is_marked(s, from));
			s->blocks[to++] = s->blocks[from];
		}
	}
	for (uint32_t i = 0; i < to; i++) {
		if (i + AHEAD < to && starts_entry(s, i + AHEAD))
			block_map_prefetch(&s->places, s->blocks[i + AHEAD]);
		if (!values || s->blocks[i] / BLOCK_MAP_NEIGHBOURS != line)
			values = block_map_line(&s->places, s->blocks[i]);
		if (!values)
			return -ENOMEM;
		line = s->blocks[i] / BLOCK_MAP_NEIGHBOURS;
		values[s->blocks[i] % BLOCK_MAP_NEIGHBOURS] = i;
	}
	s->next = to;
	s->oldest = 0;
	return 0;
}

static void count_again(struct lru_stack *s)
{
	memset(s->live_bits, 0, s->allocated / WORD_PLACES * sizeof(*s->live_bits));
	rank_tree_fill(&s->tree, s->next / WORD_PLACES);
	for (uint32_t i = 0; i < s->next / WORD_PLACES; i++)
		s->live_bits[i] = UINT64_MAX;
	if (s->next % WORD_PLACES)
		s->live_bits[s->next / WORD_PLACES] = (1ull << s->next % WORD_PLACES) - 1;
}

/* Removes the dead places; doubles the memory if that would soon be needed again. */
static int compact(struct lru_stack *s)
{
	int err;

	if (s->before_move)
		s->before_move(s->move_context);
	err = move_live(s);
	if (!err && s->next > s->allocated / 4)
		err = s->allocated < (1u << 30) ? grow(s, s->allocated * 2) : -ENOMEM;
	if (!err)
		count_again(s);
	return err;
}

static void retire(struct lru_stack *s, uint32_t place)
{
	uint32_t word = place / WORD_PLACES;

	s->live_bits[word] &= ~(1ull << place % WORD_PLACES);
	if (word < s->next / WORD_PLACES)
		rank_tree_add(&s->tree, word, -1);
	s->live--;
}

/* Appends the block at a new place; *old: its former place, or BLOCK_MAP_NONE. */
static int touch(struct lru_stack *s, uint64_t block, uint32_t *old)
{
	uint32_t word, *values;
	int err;

	if (s->next == s->allocated) {
		err = compact(s);
		if (err)
			return err;
	}
	values = block_map_line(&s->places, block);
	if (!values)
		return -ENOMEM;
	*old = values[block % BLOCK_MAP_NEIGHBOURS];
	values[block % BLOCK_MAP_NEIGHBOURS] = s->next;
	block_bits_set(&s->present, block);
	word = s->next / WORD_PLACES;
	s->blocks[s->next] = block;
	if (s->mark_bits)
		set_mark(s, s->next, s->mark);
	s->live_bits[word] |= 1ull << s->next % WORD_PLACES;
	s->live++;
	if (++s->next % WORD_PLACES == 0)
		rank_tree_add(&s->tree, word, (int)bits_in(s->live_bits[word]));
	return 0;
}

int lru_stack__touch(struct lru_stack *s, uint64_t block, uint64_t *distance)
{
	uint32_t place;
	int err = touch(s, block, &place);

	*distance = LRU_COLD;
	if (err || place == BLOCK_MAP_NONE)
		return err;
	*distance = s->live - live_up_to(s, place) - 1;
	retire(s, place);
	return 0;
}

/* Places of one word that become dead together. */
struct retired {
	uint32_t word;
	uint64_t bits;
};

static void retire_all(struct lru_stack *s, const struct retired *b)
{
	uint32_t count = bits_in(b->bits);

	s->live_bits[b->word] &= ~b->bits;
	if (b->bits && b->word < s->next / WORD_PLACES)
		rank_tree_add(&s->tree, b->word, -(int)count);
	s->live -= count;
}

static void note_retired(struct lru_stack *s, struct retired *b, uint32_t place)
{
	if (place / WORD_PLACES != b->word) {
		retire_all(s, b);
		*b = (struct retired){.word = place / WORD_PLACES};
	}
	b->bits |= 1ull << place % WORD_PLACES;
}

/* Marks the next `count` places live. */
static void append(struct lru_stack *s, uint32_t count)
{
	s->live += count;
	while (count) {
		uint32_t word = s->next / WORD_PLACES, bit = s->next % WORD_PLACES;
		uint32_t here = WORD_PLACES - bit < count ? WORD_PLACES - bit : count;

		s->live_bits[word] |= (UINT64_MAX >> (WORD_PLACES - here)) << bit;
		s->next += here;
		count -= here;
		if (s->next % WORD_PLACES == 0)
			rank_tree_add(&s->tree, word, (int)bits_in(s->live_bits[word]));
	}
}

int lru_stack__push(struct lru_stack *s, uint64_t first, uint64_t count)
{
	struct retired retired = {0};
	uint32_t *values = NULL, place;
	int err = 0;

	if (count > s->allocated - s->next) {
		for (uint64_t i = 0; i < count && !err; i++) {
			err = touch(s, first + i, &place);
			if (!err && place != BLOCK_MAP_NONE)
				retire(s, place);
		}
		return err;
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t block = first + i;

		if (!values || block % BLOCK_MAP_NEIGHBOURS == 0)
			values = block_map_line(&s->places, block);
		if (!values) {
			count = i;
			err = -ENOMEM;
			break;
		}
		place = values[block % BLOCK_MAP_NEIGHBOURS];
		values[block % BLOCK_MAP_NEIGHBOURS] = s->next + (uint32_t)i;
		s->blocks[s->next + i] = block;
		if (s->mark_bits)
			set_mark(s, s->next + (uint32_t)i, s->mark);
		block_bits_set(&s->present, block);
		if (place != BLOCK_MAP_NONE)
			note_retired(s, &retired, place);
	}
	retire_all(s, &retired);
	append(s, (uint32_t)count);
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

bool lru_stack__is_marked(const struct lru_stack *s, uint32_t place)
{
	return s->mark_bits && s->mark_bits[place / WORD_PLACES] >> place % WORD_PLACES & 1;
}

void lru_stack__prefetch_block(const struct lru_stack *s, uint32_t place)
{
	__builtin_prefetch(&s->blocks[place]);
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

bool lru_stack__look_up(const struct lru_stack *s, uint64_t block, uint32_t *place)
{
	return block_map_get(&s->places, block, place);
}

bool lru_stack__find(const struct lru_stack *s, uint64_t block, uint64_t *distance)
{
	uint32_t place;

	if (!block_map_get(&s->places, block, &place))
		return false;
	*distance = lru_stack__distance(s, place);
	return true;
}

bool lru_stack__find_marked(const struct lru_stack *s, uint64_t block)
{
	uint32_t place;

	return block_map_get(&s->places, block, &place) && lru_stack__is_marked(s, place);
}

void lru_stack__prefetch(const struct lru_stack *s, uint64_t block)
{
	block_map_prefetch(&s->places, block);
}

void lru_stack__prefetch_range(const struct lru_stack *s, uint64_t first, uint64_t count)
{
	uint64_t end = first + count;

	for (; first < end; first = (first / BLOCK_MAP_ADJACENT + 1) * BLOCK_MAP_ADJACENT)
		block_map_prefetch(&s->places, first);
}

bool lru_stack__contains(const struct lru_stack *s, uint64_t block)
{
	uint32_t place;

	if (block_bits_cover(&s->present, block, 1))
		return block_bits_any(&s->present, block, 1);
	return block_map_get(&s->places, block, &place);
}

bool lru_stack__contains_any(const struct lru_stack *s, uint64_t first, uint64_t count)
{
	uint64_t line = UINT64_MAX;
	uint32_t at = 0;

	if (count && count <= 64 && block_bits_cover(&s->present, first, count))
		return block_bits_any(&s->present, first, count);
	for (uint64_t block = first; block < first + count; block++) {
		if (block / BLOCK_MAP_NEIGHBOURS != line) {
			line = block / BLOCK_MAP_NEIGHBOURS;
			at = block_map_find(&s->places, line + 1);
		}
		if (s->places.keys[at] &&
		    s->places.values[at][block % BLOCK_MAP_NEIGHBOURS] != BLOCK_MAP_NONE)
			return true;
	}
	return false;
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
	if (s->oldest + DROPPED_AHEAD < s->next && is_live(s, s->oldest + DROPPED_AHEAD))
		block_map_prefetch(&s->places, s->blocks[s->oldest + DROPPED_AHEAD]);
	block_map_remove(&s->places, s->blocks[s->oldest]);
	block_bits_unset(&s->present, s->blocks[s->oldest]);
	retire(s, s->oldest);
}

int lru_stack__filter(struct lru_stack *s, bool (*keep)(uint64_t block, void *context),
		      void *context)
{
	for (uint32_t place = 0; place < s->next; place++)
		if (is_live(s, place) && !keep(s->blocks[place], context)) {
			retire(s, place);
			block_bits_unset(&s->present, s->blocks[place]);
		}
	block_map_clear(&s->places);
	return compact(s);
}
