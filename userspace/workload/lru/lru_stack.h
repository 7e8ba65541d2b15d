/* SPDX-License-Identifier: MIT */
/*
 * The order in which blocks were last touched, with ranks: how many other blocks were touched
 * since, and which block has a given rank. A hash map finds a block's place on a time line, a
 * tree of sums counts the live places after it; dead places are squeezed out now and then.
 * (Olken, "Efficient methods for calculating the success function of fixed space replacement
 * policies", 1981; the tree of sums takes the place of his balanced tree.)
 */
#ifndef BLKREEL_WORKLOAD_LRU_LRU_STACK_H
#define BLKREEL_WORKLOAD_LRU_LRU_STACK_H

#include <stdbool.h>
#include <stdint.h>

#define LRU_COLD UINT64_MAX

struct lru_stack;

int lru_stack__create(struct lru_stack **stack); /* 0 or -ENOMEM */
void lru_stack__free(struct lru_stack *s);	 /* NULL is allowed */

/*
 * Makes it cheap to ask whether any of these blocks is there, unless they are more than BLOCK_BITS_MAX. Once, before the
 * first touch. 0 or -ENOMEM.
 */
int lru_stack__expect(struct lru_stack *s, uint64_t first, uint64_t count);

/*
 * A mark for each block, the one that is set when it is touched: who touched it last, say. Once, before the first touch.
 * 0 or -ENOMEM.
 */
int lru_stack__keep_marks(struct lru_stack *s);
void lru_stack__mark(struct lru_stack *s, bool marked); /* of what is touched from now on */

/*
 * Moves `block` to the top. *distance is how many other blocks were touched since it was last
 * (0: none), LRU_COLD for a block that is not on the stack. 0 or -ENOMEM.
 */
int lru_stack__touch(struct lru_stack *s, uint64_t block, uint64_t *distance);

/* The same of `count` blocks from `first` on, one after the other, without their distances. */
int lru_stack__push(struct lru_stack *s, uint64_t first, uint64_t count);

/* The distance of a block; false when it is not on the stack. */
bool lru_stack__find(const struct lru_stack *s, uint64_t block, uint64_t *distance);

/*
 * Places on the time line spare look-ups. A touch takes a new one, higher than all before, and a
 * place is live until its block is touched again or dropped. Now and then all places move: those
 * who keep some are told before, and ask lru_stack__moved() where each live one goes.
 */
uint32_t lru_stack__top(const struct lru_stack *s); /* of the last touch */
bool lru_stack__look_up(const struct lru_stack *s, uint64_t block, uint32_t *place);
/* Of the block at `distance` from the top, which must be below lru_stack__blocks(). */
uint32_t lru_stack__at(const struct lru_stack *s, uint64_t distance);
bool lru_stack__is_live(const struct lru_stack *s, uint32_t place);
bool lru_stack__is_marked(const struct lru_stack *s,
			  uint32_t place); /* false where marks are not kept */
/* The mark of a block; false when it is not on the stack. */
bool lru_stack__find_marked(const struct lru_stack *s, uint64_t block);
/* Of a live place. */
/* Begins to fetch what the next call of lru_stack__block() needs. */
void lru_stack__prefetch_block(const struct lru_stack *s, uint32_t place);
uint64_t lru_stack__block(const struct lru_stack *s, uint32_t place);
uint64_t lru_stack__distance(const struct lru_stack *s, uint32_t place);
uint32_t lru_stack__moved(const struct lru_stack *s, uint32_t place);
void lru_stack__before_move(struct lru_stack *s, void (*before_move)(void *context), void *context);

/* Begins to fetch what a call for this block will need, so that several are waited for at once. */
void lru_stack__prefetch(const struct lru_stack *s, uint64_t block);
/* The same of `count` blocks from `first` on. */
void lru_stack__prefetch_range(const struct lru_stack *s, uint64_t first, uint64_t count);

bool lru_stack__contains(const struct lru_stack *s, uint64_t block);
/* Any of `count` blocks from `first` on. */
bool lru_stack__contains_any(const struct lru_stack *s, uint64_t first, uint64_t count);
uint64_t lru_stack__blocks(const struct lru_stack *s);

void lru_stack__drop_oldest(struct lru_stack *s);

/* Drops every block for which `keep` is false. 0 or -ENOMEM. */
int lru_stack__filter(struct lru_stack *s, bool (*keep)(uint64_t block, void *context),
		      void *context);

#endif
