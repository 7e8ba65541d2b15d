// SPDX-License-Identifier: MIT
#include "explain/figures/cache_pairs.h"

#include <errno.h>
#include <stdlib.h>

#include <uthash.h>

struct key {
	uint32_t task; /* 0: of all tasks together */
	uint32_t file;
};

struct pair {
	struct key key;
	uint64_t used_pages, missed_pages, evicted_pages;
	UT_hash_handle hh;
};

struct cache_pairs {
	struct pair *pairs;
	uint32_t count;
};

struct cache_pairs *cache_pairs__new(void)
{
	return calloc(1, sizeof(struct cache_pairs));
}

void cache_pairs__free(struct cache_pairs *p)
{
	struct pair *pair, *next;

	if (!p)
		return;
	HASH_ITER (hh, p->pairs, pair, next) {
		HASH_DEL(p->pairs, pair);
		free(pair);
	}
	free(p);
}

static int add_to(struct cache_pairs *p, uint32_t task, const struct cache_row *row)
{
	struct key key = {.task = task, .file = row->file};
	struct pair *pair;

	HASH_FIND(hh, p->pairs, &key, sizeof(key), pair);
	if (!pair) {
		if (p->count >= CACHE_PAIRS_MAX)
			return 0;
		pair = calloc(1, sizeof(*pair));
		if (!pair)
			return -ENOMEM;
		pair->key = key;
		HASH_ADD(hh, p->pairs, key, sizeof(key), pair);
		p->count++;
	}
	pair->used_pages += row->read_pages + row->written_pages + row->dirtied_pages;
	pair->missed_pages += row->demand_miss_pages;
	pair->evicted_pages += row->evicted_pages;
	return 0;
}

int cache_pairs__add(struct cache_pairs *p, const struct cache_row *row)
{
	int err = add_to(p, 0, row);

	return err || !row->task ? err : add_to(p, row->task, row);
}

struct cache_eviction cache_pairs__eviction(const struct cache_pairs *p,
					    bool (*counts)(uint32_t task, const void *context),
					    const void *context)
{
	struct cache_eviction most = {0};

	for (const struct pair *pair = p->pairs; pair; pair = pair->hh.next) {
		struct key key = {.file = pair->key.file};
		const struct pair *file;

		if (!pair->key.task || pair->used_pages || pair->evicted_pages <= most.pages)
			continue;
		HASH_FIND(hh, p->pairs, &key, sizeof(key), file);
		if (!file || !file->used_pages || !counts(pair->key.task, context))
			continue;
		most = (struct cache_eviction){.task = pair->key.task,
					       .file = pair->key.file,
					       .pages = pair->evicted_pages,
					       .missed_pages = file->missed_pages};
	}
	return most;
}
