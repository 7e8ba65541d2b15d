/* SPDX-License-Identifier: MIT */
/*
 * Counts per word of a long bitmap, with prefix sums and search by rank. A tree whose nodes are one
 * cache line of sums each: no search within a node, and no branch that depends on the data.
 */
#ifndef BLKREEL_WORKLOAD_LRU_RANK_TREE_H
#define BLKREEL_WORKLOAD_LRU_RANK_TREE_H

#include <stdint.h>

#define RANK_TREE_COUNT_MAX 64u /* the largest count of a word */
#define RANK_TREE_WORDS_MIN 64u /* the fewest words of a tree */

#define RANK_TREE_LOWER	     2	 /* lower levels, with sums of 16 bits, */
#define RANK_TREE_LOWER_NODE 32u /* and this many sums per node; */
#define RANK_TREE_UPPER	     4	 /* upper levels, with sums of 32 bits, */
#define RANK_TREE_UPPER_NODE 16u
#define RANK_TREE_CHUNK	     (RANK_TREE_LOWER_NODE * RANK_TREE_LOWER_NODE)
#define RANK_TREE_WORDS_MAX  (1u << 24)

/* Each sum is that of the entries before it in its node. */
struct rank_tree {
	uint16_t *lower[RANK_TREE_LOWER]; /* of words, and of nodes of these */
	int32_t *upper[RANK_TREE_UPPER];  /* of chunks, and of nodes of these */
	unsigned int upper_levels;
	uint32_t words;
};

/*
 * Initialises all counts with 0. `words`: a power of two, RANK_TREE_WORDS_MIN to
 * RANK_TREE_WORDS_MAX. 0 or -ENOMEM.
 */
int rank_tree_init(struct rank_tree *t, uint32_t words);
void rank_tree_release(struct rank_tree *t); /* zero-filled is allowed */

/* Sets the first `full` words to RANK_TREE_COUNT_MAX, the others to 0. */
void rank_tree_fill(struct rank_tree *t, uint32_t full);
void rank_tree_add(struct rank_tree *t, uint32_t word, int change);

/* The sum of all words before this one. */
static inline uint32_t rank_tree_before(const struct rank_tree *t, uint32_t word)
{
	uint32_t sum = t->lower[0][word] + t->lower[1][word / RANK_TREE_LOWER_NODE];
	uint32_t at = word / RANK_TREE_CHUNK;

	for (unsigned int level = 0; level < t->upper_levels; level++) {
		sum += (uint32_t)t->upper[level][at];
		at /= RANK_TREE_UPPER_NODE;
	}
	return sum;
}

/*
 * The word in which the element of `*rank` lies; *rank becomes its rank in the word. Words from
 * `end` on have no count; returns `end` when the total is no more than `*rank`.
 */
uint32_t rank_tree_find(const struct rank_tree *t, uint32_t end, uint32_t *rank);

#endif
