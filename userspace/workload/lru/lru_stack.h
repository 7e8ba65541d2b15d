/* SPDX-License-Identifier: MIT */
/*
 * An LRU stack with ranks: the order in which blocks were last touched, how many other blocks were
 * touched since, and which block has a given rank. A hash map holds each block's place on a time
 * line; a tree of sums counts the live places after it. Dead places are removed now and then.
 * (Olken, "Efficient methods for calculating the success function of fixed space replacement
 * policies", 1981; the tree of sums replaces his balanced tree.)
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
 * Makes queries for any of these blocks cheap, unless they are more than BLOCK_BITS_MAX. To be
 * called once, before the first touch. 0 or -ENOMEM.
 */
int lru_stack__expect(struct lru_stack *s, uint64_t first, uint64_t count);

/*
 * Keeps a mark per block: the mark that is set when the block is touched (such as who touched it).
 * To be called once, before the first touch. 0 or -ENOMEM.
 */
int lru_stack__keep_marks(struct lru_stack *s);
void lru_stack__mark(struct lru_stack *s, bool marked); /* of blocks touched from now on */

/*
 * Moves `block` to the top. *distance: other blocks touched since its last touch (0: none),
 * LRU_COLD for a block that is not on the stack. 0 or -ENOMEM.
 */
int lru_stack__touch(struct lru_stack *s, uint64_t block, uint64_t *distance);

/* Touches `count` blocks from `first` on in order, without distances. 0 or -ENOMEM. */
int lru_stack__push(struct lru_stack *s, uint64_t first, uint64_t count);

/* Fills the distance of a block. False: it is not on the stack. */
bool lru_stack__find(const struct lru_stack *s, uint64_t block, uint64_t *distance);

/*
 * Places on the time line replace look-ups. A touch takes a new place, higher than all before; a
 * place is live until its block is touched again or dropped. Sometimes all places move: the
 * function of lru_stack__before_move() is called first, and can ask lru_stack__moved() for the new
 * place of each live one.
 */
uint32_t lru_stack__top(const struct lru_stack *s); /* of the last touch */
/* The place of a block; false: it is not on the stack. */
bool lru_stack__look_up(const struct lru_stack *s, uint64_t block, uint32_t *place);
/* The place of the block at `distance` from the top, which must be below lru_stack__blocks(). */
uint32_t lru_stack__at(const struct lru_stack *s, uint64_t distance);
bool lru_stack__is_live(const struct lru_stack *s, uint32_t place);
bool lru_stack__is_marked(const struct lru_stack *s,
			  uint32_t place); /* false where marks are not kept */
/* The mark of a block; false: it is not on the stack. */
bool lru_stack__find_marked(const struct lru_stack *s, uint64_t block);
/*
 * These four take a live place. prefetch_block() prefetches for a later lru_stack__block();
 * moved() is for the function of lru_stack__before_move(), which may be NULL.
 */
void lru_stack__prefetch_block(const struct lru_stack *s, uint32_t place);
uint64_t lru_stack__block(const struct lru_stack *s, uint32_t place);
uint64_t lru_stack__distance(const struct lru_stack *s, uint32_t place);
uint32_t lru_stack__moved(const struct lru_stack *s, uint32_t place);
void lru_stack__before_move(struct lru_stack *s, void (*before_move)(void *context), void *context);

/* Prefetches for a call for this block, so that several cache misses overlap. */
void lru_stack__prefetch(const struct lru_stack *s, uint64_t block);
/* The same for `count` blocks from `first` on. */
void lru_stack__prefetch_range(const struct lru_stack *s, uint64_t first, uint64_t count);

/* Whether the block is on the stack. */
bool lru_stack__contains(const struct lru_stack *s, uint64_t block);
/* Whether any of `count` blocks from `first` on is on the stack. */
bool lru_stack__contains_any(const struct lru_stack *s, uint64_t first, uint64_t count);
uint64_t lru_stack__blocks(const struct lru_stack *s);

/* Removes the block that was touched least recently. */
void lru_stack__drop_oldest(struct lru_stack *s);

/* Removes every block for which `keep` returns false. 0 or -ENOMEM. */
int lru_stack__filter(struct lru_stack *s, bool (*keep)(uint64_t block, void *context),
		      void *context);

#endif
