// SPDX-License-Identifier: MIT
#include "explain/figures/cache_pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/units.h"
#include "explain/figures/addresses.h"

#define REREAD_SAMPLE_MIN 256u	       /* blocks: fewer prove nothing */
#define DEVICE_SECTORS	  (1ull << 43) /* more than a device has */

struct key {
	uint32_t task; /* 0: of all tasks together */
	uint32_t file;
};

struct pair {
	struct key key;
	uint64_t used_pages, evicted_pages;
	uint64_t fetched_pages, dropped_pages;
	uint64_t direct_write_bytes;
	/* Of all tasks together: estimated from a sample of all blocks; 0 if none of the file is in it. */
	uint64_t read_blocks, repeated_blocks;
	UT_hash_handle hh;
};

struct cache_pairs {
	struct pair *pairs;
	uint32_t count;
	struct block_sample *sample;
	uint64_t read_blocks, repeated_blocks;
};

struct cache_pairs *cache_pairs__new(void)
{
	struct cache_pairs *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->sample = block_sample__new();
	if (!p->sample) {
		free(p);
		return NULL;
	}
	return p;
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
	block_sample__free(p->sample);
	free(p);
}

static struct pair *find_pair(const struct cache_pairs *p, uint32_t task, uint32_t file)
{
	struct key key = {.task = task, .file = file};
	struct pair *pair;

	HASH_FIND(hh, p->pairs, &key, sizeof(key), pair);
	return pair;
}

/* *found is NULL beyond the bound. 0 or -ENOMEM. */
static int pair_of(struct cache_pairs *p, uint32_t task, uint32_t file, struct pair **found)
{
	*found = find_pair(p, task, file);
	if (*found || p->count >= CACHE_PAIRS_MAX)
		return 0;
	*found = calloc(1, sizeof(**found));
	if (!*found)
		return -ENOMEM;
	(*found)->key = (struct key){.task = task, .file = file};
	HASH_ADD(hh, p->pairs, key, sizeof((*found)->key), *found);
	p->count++;
	return 0;
}

static int add_to(struct cache_pairs *p, uint32_t task, const struct cache_row *row)
{
	struct pair *pair;
	int err = pair_of(p, task, row->file, &pair);

	if (err || !pair)
		return err;
	pair->used_pages += row->read_pages + row->written_pages + row->dirtied_pages;
	pair->evicted_pages += row->evicted_pages;
	pair->fetched_pages += row->demand_miss_pages + row->readahead_added_pages;
	if (row->deleted_pages > row->evicted_pages)
		pair->dropped_pages += row->deleted_pages - row->evicted_pages;
	pair->direct_write_bytes += row->direct_write_bytes;
	return 0;
}

int cache_pairs__add(struct cache_pairs *p, const struct cache_row *row)
{
	int err = add_to(p, 0, row);

	return err || !row->task ? err : add_to(p, row->task, row);
}

int cache_pairs__add_read(struct cache_pairs *p, const struct io_row *row)
{
	uint64_t blocks = 0, repeated = 0;
	struct pair *pair;
	int err;

	block_sample__read(p->sample, row->device * DEVICE_SECTORS + row->sector, row->bytes,
			   &blocks, &repeated);
	p->read_blocks += blocks;
	p->repeated_blocks += repeated;
	if (!row->file || !blocks)
		return 0;
	err = pair_of(p, 0, row->file, &pair);
	if (err || !pair)
		return err;
	pair->read_blocks += blocks;
	pair->repeated_blocks += repeated;
	return 0;
}

double cache_pairs__reread_pct(const struct cache_pairs *p)
{
	return p->read_blocks >= REREAD_SAMPLE_MIN
		       ? 100 * (double)p->repeated_blocks / (double)p->read_blocks
		       : 0;
}

/* Of the file's pages that left the cache, the share that was read from a device again; false: not known. */
static bool again_share(const struct pair *file, double *share)
{
	double again, left = (double)(file->evicted_pages + file->dropped_pages);

	if (!file->read_blocks)
		return false;
	again = (double)file->fetched_pages * (double)file->repeated_blocks /
		(double)file->read_blocks;
	*share = again < left ? again / left : 1;
	return true;
}

/* Pages of files that left the cache, and how many of these were read again. */
struct estimate {
	uint64_t pages;
	double known_pages, again_pages; /* of files in the sample */
};

/* Small files can be outside the sample: they are like the others. */
static void add_pages(struct estimate *e, const struct pair *file, uint64_t pages)
{
	double share;

	e->pages += pages;
	if (!again_share(file, &share))
		return;
	e->known_pages += (double)pages;
	e->again_pages += (double)pages * share;
}

static uint64_t estimated_again(const struct estimate *e)
{
	return e->again_pages > 0 ? (uint64_t)(e->again_pages / e->known_pages * (double)e->pages)
				  : 0;
}

uint64_t cache_pairs__evicted_again(const struct cache_pairs *p, uint64_t evicted_pages)
{
	struct estimate evicted = {0};

	for (const struct pair *pair = p->pairs; pair; pair = pair->hh.next)
		if (!pair->key.task)
			add_pages(&evicted, pair, pair->evicted_pages);
	evicted.pages = evicted_pages;
	return evicted.known_pages > 0 ? estimated_again(&evicted) : evicted_pages;
}

struct cache_eviction cache_pairs__eviction(const struct cache_pairs *p,
					    bool (*counts)(uint32_t task, const void *context),
					    const void *context)
{
	struct cache_eviction most = {0};
	const struct pair *file;
	uint64_t again_pages;
	double share;

	for (const struct pair *pair = p->pairs; pair; pair = pair->hh.next) {
		if (!pair->key.task || pair->used_pages || !pair->evicted_pages)
			continue;
		file = find_pair(p, 0, pair->key.file);
		if (!file || !file->used_pages || !again_share(file, &share) ||
		    !counts(pair->key.task, context))
			continue;
		again_pages = (uint64_t)((double)pair->evicted_pages * share);
		if (again_pages > most.again_pages)
			most = (struct cache_eviction){.task = pair->key.task,
						       .file = pair->key.file,
						       .pages = pair->evicted_pages,
						       .again_pages = again_pages};
	}
	return most;
}

struct dropper {
	char command[16];
	struct cache_dropping dropping;
	struct estimate dropped;
	double most_again; /* pages of one file by one process */
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

/* The file, if the pair's task dropped pages of it and a device had read the file; else NULL. */
static const struct pair *dropped_file(const struct cache_pairs *p, const struct pair *pair)
{
	const struct pair *file;

	if (!pair->key.task || !pair->dropped_pages)
		return NULL;
	file = find_pair(p, 0, pair->key.file);
	return file && file->fetched_pages ? file : NULL;
}

static bool may_be_read_again(const struct pair *file)
{
	double share;

	return !again_share(file, &share) || share > 0;
}

static void add_dropped(struct dropper *dropper, const struct pair *pair, const struct pair *file)
{
	struct cache_dropping *dropping = &dropper->dropping;
	double share = 0, again;

	add_pages(&dropper->dropped, file, pair->dropped_pages);
	dropping->again_pages = estimated_again(&dropper->dropped);
	if (!may_be_read_again(file))
		return;
	dropping->pages += pair->dropped_pages;
	again_share(file, &share);
	again = (double)pair->dropped_pages * share;
	if (again <= dropper->most_again)
		return;
	dropper->most_again = again;
	dropping->task = pair->key.task;
	dropping->file = pair->key.file;
	dropping->used = pair->used_pages > 0;
	dropping->wrote_directly = pair->direct_write_bytes > 0;
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
		const struct pair *file = dropped_file(p, pair);

		if (!name || !file || strncmp(name, command, 15) || !may_be_read_again(file))
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
		const struct pair *file = dropped_file(p, pair);

		if (!name || !file)
			continue;
		dropper = dropper_of(&droppers, name);
		if (dropper)
			add_dropped(dropper, pair, file);
		else
			err = -ENOMEM;
	}
	HASH_ITER (hh, droppers, dropper, next) {
		if (dropper->dropping.again_pages > most->again_pages) {
			*most = dropper->dropping;
			memcpy(command, dropper->command, sizeof(command));
		}
		HASH_DEL(droppers, dropper);
		free(dropper);
	}
	if (!err && most->again_pages)
		err = count_parties(p, most, command, command_of, context);
	return err;
}
