// SPDX-License-Identifier: MIT
#include "workload/page_cache/page_set.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_ALLOCATED 256u

int page_set__init(struct page_set *s)
{
	*s = (struct page_set){0};
	return block_map_init(&s->map);
}

void page_set__release(struct page_set *s)
{
	block_map_release(&s->map);
	free(s->pieces);
}

static int add_piece(struct page_set *s, uint64_t key, uint32_t *number)
{
	uint32_t allocated = s->allocated ? s->allocated * 2 : FIRST_ALLOCATED;
	struct page_set_piece *pieces;
	int err;

	if (s->count == s->allocated) {
		pieces = realloc(s->pieces, allocated * sizeof(*pieces));
		if (!pieces)
			return -ENOMEM;
		s->pieces = pieces;
		s->allocated = allocated;
	}
	err = block_map_set(&s->map, key / PAGE_SET_PIECE, s->count);
	if (err)
		return err;
	s->pieces[s->count] = (struct page_set_piece){.key = key - key % PAGE_SET_PIECE};
	*number = s->count++;
	return 0;
}

int page_set__add(struct page_set *s, uint64_t key, bool *is_new)
{
	uint64_t bit = 1ull << key % PAGE_SET_PIECE;
	uint32_t number;
	int err = 0;

	if (!block_map_get(&s->map, key / PAGE_SET_PIECE, &number))
		err = add_piece(s, key, &number);
	if (err)
		return err;
	*is_new = !(s->pieces[number].bits & bit);
	s->pieces[number].bits |= bit;
	return 0;
}

int page_set__keep(struct page_set *s, bool (*keeps)(const void *context, uint64_t key),
		   const void *context)
{
	uint32_t kept = 0;
	int err = 0;

	block_map_clear(&s->map);
	for (uint32_t i = 0; i < s->count && !err; i++) {
		if (!keeps(context, s->pieces[i].key))
			continue;
		s->pieces[kept] = s->pieces[i];
		err = block_map_set(&s->map, s->pieces[kept].key / PAGE_SET_PIECE, kept);
		kept++;
	}
	s->count = kept;
	return err;
}
