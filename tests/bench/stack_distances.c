// SPDX-License-Identifier: MIT
/*
 * LRU stack distances, for parts.py: reads block numbers (8 bytes each, native order) from standard
 * input and writes for each, in 4 bytes, how many other blocks were touched since this block was: 0
 * for the last one, 0xffffffff for a block never seen.
 */
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct last_touch {
	uint64_t block;
	uint32_t place; /* from 1; 0: free */
};

static uint64_t *read_blocks(uint32_t *count)
{
	size_t room = 1u << 16, used = 0, got;
	uint64_t *blocks = malloc(room * sizeof(*blocks));

	while (blocks && (got = fread(blocks + used, sizeof(*blocks), room - used, stdin)) > 0) {
		used += got;
		if (used == room)
			blocks = realloc(blocks, (room *= 2) * sizeof(*blocks));
	}
	if (!blocks || used >= UINT32_MAX / 2 || ferror(stdin))
		errx(1, "cannot read the blocks");
	*count = (uint32_t)used;
	return blocks;
}

static struct last_touch *find(struct last_touch *table, uint32_t mask, uint64_t block)
{
	uint64_t hash = block * 0x9e3779b97f4a7c15u;
	uint32_t at = (uint32_t)(hash >> 32) & mask;

	while (table[at].place && table[at].block != block)
		at = (at + 1) & mask;
	return &table[at];
}

/* A Fenwick tree with a 1 at the last touch of each block. */
static void add(int32_t *tree, uint32_t count, uint32_t place, int32_t value)
{
	for (; place <= count; place += place & -place)
		tree[place] += value;
}

static uint32_t sum_to(const int32_t *tree, uint32_t place)
{
	int32_t sum = 0;

	for (; place; place &= place - 1)
		sum += tree[place];
	return (uint32_t)sum;
}

int main(void)
{
	uint32_t count, mask = 1, distinct = 0;
	uint64_t *blocks = read_blocks(&count);
	int32_t *tree = calloc((size_t)count + 1, sizeof(*tree));
	struct last_touch *table;

	while (mask < 2 * (uint64_t)count + 2)
		mask *= 2;
	table = calloc(mask, sizeof(*table));
	if (!tree || !table)
		errx(1, "out of memory");
	for (uint32_t i = 1; i <= count; i++) {
		struct last_touch *last = find(table, mask - 1, blocks[i - 1]);
		uint32_t distance = UINT32_MAX;

		if (last->place) {
			distance = distinct - sum_to(tree, last->place);
			add(tree, count, last->place, -1);
		} else {
			distinct++;
		}
		*last = (struct last_touch){blocks[i - 1], i};
		add(tree, count, i, 1);
		if (fwrite(&distance, sizeof(distance), 1, stdout) != 1)
			err(1, "cannot write");
	}
	if (fflush(stdout))
		err(1, "cannot write");
	free(blocks);
	free(tree);
	free(table);
	return 0;
}
