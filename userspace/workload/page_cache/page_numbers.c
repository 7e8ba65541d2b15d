// SPDX-License-Identifier: MIT
#include "workload/page_cache/page_numbers.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_ALLOCATED 4096u
#define NO_NUMBER	UINT32_MAX

int page_numbers__init(struct page_numbers *n)
{
	*n = (struct page_numbers){.free = NO_NUMBER};
	return block_map_init(&n->map);
}

void page_numbers__release(struct page_numbers *n)
{
	block_map_release(&n->map);
	free(n->keys);
}

static int grow(struct page_numbers *n)
{
	uint32_t allocated = n->allocated ? n->allocated * 2 : FIRST_ALLOCATED;
	uint64_t *keys;

	if (allocated > NO_NUMBER / 4)
		return -ENOMEM;
	keys = realloc(n->keys, allocated * sizeof(*keys));
	if (!keys)
		return -ENOMEM;
	n->keys = keys;
	n->allocated = allocated;
	return 0;
}

int page_numbers__assign(struct page_numbers *n, uint64_t key, uint32_t *number)
{
	uint32_t given = n->free;
	int err = 0;

	if (given == NO_NUMBER) {
		given = n->end;
		if (given == n->allocated)
			err = grow(n);
	}
	if (!err)
		err = block_map_set(&n->map, key, given);
	if (err)
		return err;
	if (given == n->end)
		n->end++;
	else
		n->free = (uint32_t)n->keys[given];
	n->keys[given] = key;
	n->used++;
	*number = given;
	return 0;
}

void page_numbers__drop(struct page_numbers *n, uint64_t key, uint32_t number)
{
	block_map_remove(&n->map, key);
	n->keys[number] = n->free;
	n->free = number;
	n->used--;
}
