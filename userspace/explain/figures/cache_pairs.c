// SPDX-License-Identifier: MIT
#include "explain/figures/cache_pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

struct key {
	uint32_t task; /* 0: of all tasks together */
	uint32_t file;
};

struct pair {
	struct key key;
	uint64_t used_pages, missed_pages, evicted_pages;
	uint64_t fetched_pages, dropped_pages;
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
	pair->fetched_pages += row->demand_miss_pages + row->readahead_added_pages;
	if (row->deleted_pages > row->evicted_pages)
		pair->dropped_pages += row->deleted_pages - row->evicted_pages;
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

struct dropper {
	char command[16];
	struct cache_dropping dropping;
	uint64_t most_pages; /* of one file by one process */
	UT_hash_handle hh;
};

static struct dropper *dropper_of(struct dropper **droppers, const char *command)
{
	struct dropper *dropper;
	char key[sizeof(dropper->command)] = "";

	strncpy(key, command, sizeof(key) - 1);
	HASH_FIND(hh, *droppers, key, sizeof(key), dropper);
	if (dropper)
		return dropper;
	dropper = calloc(1, sizeof(*dropper));
	if (!dropper)
		return NULL;
	memcpy(dropper->command, key, sizeof(key));
	HASH_ADD(hh, *droppers, command, sizeof(dropper->command), dropper);
	return dropper;
}

static void add_dropped(struct dropper *dropper, const struct pair *pair)
{
	struct cache_dropping *dropping = &dropper->dropping;

	dropping->pages += pair->dropped_pages;
	if (pair->dropped_pages <= dropper->most_pages)
		return;
	dropper->most_pages = pair->dropped_pages;
	dropping->task = pair->key.task;
	dropping->file = pair->key.file;
	dropping->used = pair->used_pages > 0;
}

/* Whether some of the file's pages were read from a device while it was recorded. */
static bool was_fetched(const struct cache_pairs *p, uint32_t file_id)
{
	struct key key = {.file = file_id};
	const struct pair *file;

	HASH_FIND(hh, p->pairs, &key, sizeof(key), file);
	return file && file->fetched_pages;
}

/* How many processes of the command dropped pages, and of how many files. 0 or -ENOMEM. */
static int count_parties(const struct cache_pairs *p, struct cache_dropping *most,
			 const char *command,
			 const char *(*command_of)(uint32_t task, const void *context),
			 const void *context)
{
	struct party {
		struct key key;
		UT_hash_handle hh;
	} *parties = NULL, *party, *next;
	int err = 0;

	for (const struct pair *pair = p->pairs; pair && !err; pair = pair->hh.next) {
		const char *name = pair->key.task ? command_of(pair->key.task, context) : NULL;
		struct key keys[2] = {{.task = pair->key.task}, {.file = pair->key.file}};

		if (!name || !pair->dropped_pages || strncmp(name, command, 15) ||
		    !was_fetched(p, pair->key.file))
			continue;
		for (unsigned int i = 0; i < 2; i++) {
			HASH_FIND(hh, parties, &keys[i], sizeof(keys[i]), party);
			if (party)
				continue;
			party = calloc(1, sizeof(*party));
			if (!party) {
				err = -ENOMEM;
				break;
			}
			party->key = keys[i];
			HASH_ADD(hh, parties, key, sizeof(party->key), party);
			most->processes += i == 0;
			most->files += i == 1;
		}
	}
	HASH_ITER (hh, parties, party, next) {
		HASH_DEL(parties, party);
		free(party);
	}
	return err;
}

int cache_pairs__dropping(const struct cache_pairs *p,
			  const char *(*command_of)(uint32_t task, const void *context),
			  const void *context, struct cache_dropping *most)
{
	struct dropper *droppers = NULL, *dropper, *next;
	char command[16] = "";
	int err = 0;

	*most = (struct cache_dropping){0};
	for (const struct pair *pair = p->pairs; pair && !err; pair = pair->hh.next) {
		const char *name = pair->key.task ? command_of(pair->key.task, context) : NULL;

		if (!name || !pair->dropped_pages || !was_fetched(p, pair->key.file))
			continue;
		dropper = dropper_of(&droppers, name);
		if (dropper)
			add_dropped(dropper, pair);
		else
			err = -ENOMEM;
	}
	HASH_ITER (hh, droppers, dropper, next) {
		if (dropper->dropping.pages > most->pages) {
			*most = dropper->dropping;
			memcpy(command, dropper->command, sizeof(command));
		}
		HASH_DEL(droppers, dropper);
		free(dropper);
	}
	if (!err && most->pages)
		err = count_parties(p, most, command, command_of, context);
	return err;
}
