/* SPDX-License-Identifier: MIT */
/*
 * Counts of the words of a long line, to be summed up to a word and searched by a rank: a tree whose nodes are one cache
 * line of sums each, so that nothing is looked for within a node, and no branch depends on what is found.
 */
#ifndef BLKREEL_WORKLOAD_LRU_RANK_TREE_H
#define BLKREEL_WORKLOAD_LRU_RANK_TREE_H

#include <stdint.h>

#define RANK_TREE_MOST	64u /* the count of a word, at most */
#define RANK_TREE_LEAST 64u /* words of a tree, at least */

#define RANK_TREE_NEAR	    2	/* levels whose sums have 16 bits, */
#define RANK_TREE_NEAR_NODE 32u /* so many in a node; */
#define RANK_TREE_FAR	    4	/* and levels above these, of 32 bits, */
#define RANK_TREE_FAR_NODE  16u
#define RANK_TREE_CHUNK	    (RANK_TREE_NEAR_NODE * RANK_TREE_NEAR_NODE)
#define RANK_TREE_WORDS_MAX (1u << 24)

/* Each sum is of what comes before it in its node. */
struct rank_tree {
	uint16_t *near[RANK_TREE_NEAR]; /* of words, and of nodes of these */
	int32_t *far[RANK_TREE_FAR];	/* of chunks, and of nodes of these */
	unsigned int far_levels;
	uint32_t words;
};

/* Counts of 0. `words`: a power of two, RANK_TREE_LEAST to RANK_TREE_WORDS_MAX. 0 or -ENOMEM. */
int rank_tree_init(struct rank_tree *t, uint32_t words);
void rank_tree_release(struct rank_tree *t); /* zero-filled is allowed */

/* RANK_TREE_MOST for the first `full` words, 0 for the others. */
void rank_tree_fill(struct rank_tree *t, uint32_t full);
void rank_tree_add(struct rank_tree *t, uint32_t word, int change);

/* The sum of all words before this one. */
static inline uint32_t rank_tree_before(const struct rank_tree *t, uint32_t word)
{
	uint32_t sum = t->near[0][word] + t->near[1][word / RANK_TREE_NEAR_NODE];
	uint32_t at = word / RANK_TREE_CHUNK;

	for (unsigned int level = 0; level < t->far_levels; level++) {
		sum += (uint32_t)t->far[level][at];
		at /= RANK_TREE_FAR_NODE;
	}
	return sum;
}

/*
 * The word that holds what has `*rank` before it, which becomes its rank in the word. No word from `end` on has a count; it
 * is `end` where all together have no more than `*rank`.
 */
uint32_t rank_tree_find(const struct rank_tree *t, uint32_t end, uint32_t *rank);

#endif
