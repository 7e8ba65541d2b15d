// SPDX-License-Identifier: MIT
#include "workload/lru/rank_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CACHE_LINE_BYTES 64u

_Static_assert(RANK_TREE_LOWER_NODE * sizeof(uint16_t) == CACHE_LINE_BYTES &&
		       RANK_TREE_UPPER_NODE * sizeof(int32_t) == CACHE_LINE_BYTES,
	       "a node is a cache line");
_Static_assert(RANK_TREE_COUNT_MAX *RANK_TREE_CHUNK <= UINT16_MAX + 1,
	       "ranks in a chunk have 16 bits");

static void *sums_of(uint32_t count, uint32_t node)
{
	size_t bytes = (size_t)((count + node - 1) / node) * CACHE_LINE_BYTES;
	void *sums = aligned_alloc(CACHE_LINE_BYTES, bytes);

	return sums ? memset(sums, 0, bytes) : NULL;
}

int rank_tree_init(struct rank_tree *t, uint32_t words)
{
	uint32_t count = (words + RANK_TREE_CHUNK - 1) / RANK_TREE_CHUNK;
	int err = 0;

	*t = (struct rank_tree){.words = words};
	t->lower[0] = sums_of(words, RANK_TREE_LOWER_NODE);
	t->lower[1] = sums_of(words / RANK_TREE_LOWER_NODE, RANK_TREE_LOWER_NODE);
	do {
		t->upper[t->upper_levels] = sums_of(count, RANK_TREE_UPPER_NODE);
		err = t->upper[t->upper_levels++] ? err : -ENOMEM;
		count = (count + RANK_TREE_UPPER_NODE - 1) / RANK_TREE_UPPER_NODE;
	} while (count > 1);
	if (!err && t->lower[0] && t->lower[1])
		return 0;
	rank_tree_release(t);
	return -ENOMEM;
}

void rank_tree_release(struct rank_tree *t)
{
	for (unsigned int level = 0; level < RANK_TREE_LOWER; level++)
		free(t->lower[level]);
	for (unsigned int level = 0; level < t->upper_levels; level++)
		free(t->upper[level]);
	*t = (struct rank_tree){0};
}

/* The sum before an entry of a node when the first `full` words are full. */
static uint32_t filled(uint32_t full, uint32_t node_word, uint32_t word)
{
	uint32_t end = word < full ? word : full;

	return end > node_word ? (end - node_word) * RANK_TREE_COUNT_MAX : 0;
}

static void fill_lower(uint16_t *sums, uint32_t words, uint32_t entry_words, uint32_t full)
{
	for (uint32_t first = 0; first < words; first += RANK_TREE_LOWER_NODE * entry_words)
		for (uint32_t i = 0; i < RANK_TREE_LOWER_NODE; i++)
			*sums++ = (uint16_t)filled(full, first, first + i * entry_words);
}

static void fill_upper(int32_t *sums, uint32_t words, uint32_t entry_words, uint32_t full)
{
	for (uint32_t first = 0; first < words; first += RANK_TREE_UPPER_NODE * entry_words)
		for (uint32_t i = 0; i < RANK_TREE_UPPER_NODE; i++)
			*sums++ = (int32_t)filled(full, first, first + i * entry_words);
}

void rank_tree_fill(struct rank_tree *t, uint32_t full)
{
	uint32_t entry_words = 1;

	for (unsigned int level = 0; level < RANK_TREE_LOWER; level++) {
		fill_lower(t->lower[level], t->words, entry_words, full);
		entry_words *= RANK_TREE_LOWER_NODE;
	}
	for (unsigned int level = 0; level < t->upper_levels; level++) {
		fill_upper(t->upper[level], t->words, entry_words, full);
		entry_words *= RANK_TREE_UPPER_NODE;
	}
}

/* Goes over the whole node, so that the compiler can vectorise the loop. */
static void add_lower(uint16_t *node, uint16_t at, uint16_t change)
{
	for (uint16_t i = 0; i < RANK_TREE_LOWER_NODE; i++)
		node[i] = (uint16_t)(node[i] + (i > at ? change : 0));
}

static void add_upper(int32_t *node, int32_t at, int32_t change)
{
	for (int32_t i = 0; i < (int32_t)RANK_TREE_UPPER_NODE; i++)
		node[i] += i > at ? change : 0;
}

void rank_tree_add(struct rank_tree *t, uint32_t word, int change)
{
	uint32_t at = word;

	for (unsigned int level = 0; level < RANK_TREE_LOWER; level++) {
		add_lower(&t->lower[level][at / RANK_TREE_LOWER_NODE * RANK_TREE_LOWER_NODE],
			  at % RANK_TREE_LOWER_NODE, (uint16_t)change);
		at /= RANK_TREE_LOWER_NODE;
	}
	for (unsigned int level = 0; level < t->upper_levels; level++) {
		add_upper(&t->upper[level][at / RANK_TREE_UPPER_NODE * RANK_TREE_UPPER_NODE],
			  (int32_t)(at % RANK_TREE_UPPER_NODE), change);
		at /= RANK_TREE_UPPER_NODE;
	}
}

/* The last entry of a node with a sum of no more than `rank` before it. */
static uint32_t find_lower(const uint16_t *node, uint16_t rank)
{
	uint16_t passed = 0;

	for (unsigned int i = 0; i < RANK_TREE_LOWER_NODE; i++)
		passed = (uint16_t)(passed + (node[i] <= rank));
	return passed - 1u;
}

static uint32_t find_upper(const int32_t *node, int32_t rank)
{
	int32_t passed = 0;

	for (unsigned int i = 0; i < RANK_TREE_UPPER_NODE; i++)
		passed += node[i] <= rank;
	return (uint32_t)passed - 1;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

uint32_t rank_tree_find(const struct rank_tree *t, uint32_t end, uint32_t *rank)
{
	uint32_t ends[RANK_TREE_UPPER], at = 0;

	ends[0] = end / RANK_TREE_CHUNK;
	for (unsigned int level = 1; level < t->upper_levels; level++)
		ends[level] = ends[level - 1] / RANK_TREE_UPPER_NODE;
	for (unsigned int level = t->upper_levels; level--;) {
		const int32_t *node = &t->upper[level][at * RANK_TREE_UPPER_NODE];

		at = smaller(at * RANK_TREE_UPPER_NODE + find_upper(node, (int32_t)*rank),
			     ends[level]);
		*rank -= (uint32_t)t->upper[level][at];
	}
	for (unsigned int level = RANK_TREE_LOWER; level--;) {
		const uint16_t *node = &t->lower[level][at * RANK_TREE_LOWER_NODE];

		at = smaller(at * RANK_TREE_LOWER_NODE + find_lower(node, (uint16_t)*rank),
			     level ? end / RANK_TREE_LOWER_NODE : end);
		*rank -= t->lower[level][at];
	}
	return at;
}
