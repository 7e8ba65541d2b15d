// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <utlist.h>

#include "base/units.h"
#include "exchange/events/block_table.h"

#define BUCKET_BITS 16
/* Bounds a look-up in hostile or one-sided traces (only Q, all at one sector). */
#define STEPS_MAX 256u

/* Not a uthash, which cannot hold several entries with one key. */
struct block_table {
	struct block_io *buckets[1u << BUCKET_BITS]; /* oldest first */
	struct block_io *pending, *emitted;	     /* by age */
	struct block_io *unused;
	uint32_t count;
};

struct block_table *block_table__new(void)
{
	return calloc(1, sizeof(struct block_table));
}

static void free_list(struct block_io *list)
{
	struct block_io *io, *next;

	DL_FOREACH_SAFE2(list, io, next, age_next)
	{
		free(io);
	}
}

void block_table__free(struct block_table *t)
{
	struct block_io *io, *next;

	if (!t)
		return;
	free_list(t->pending);
	free_list(t->emitted);
	for (io = t->unused; io; io = next) {
		next = io->age_next;
		free(io);
	}
	free(t);
}

static uint32_t bucket_of(uint32_t device, uint32_t kind, uint64_t sector)
{
	uint64_t key = sector * 64 + device * 16 + kind;

	return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> (64 - BUCKET_BITS));
}

static struct block_io **bucket_of_io(struct block_table *t, const struct block_io *io)
{
	return &t->buckets[bucket_of(io->row.device, io->kind, io->row.sector)];
}

struct block_io *block_table__add(struct block_table *t, const struct block_io *io)
{
	struct block_io *added = t->unused, **bucket;

	if (added)
		t->unused = added->age_next;
	else
		added = malloc(sizeof(*added));
	if (!added)
		return NULL;
	*added = *io;
	bucket = bucket_of_io(t, added);
	DL_APPEND2(*bucket, added, bucket_prev, bucket_next);
	DL_APPEND2(t->pending, added, age_prev, age_next);
	t->count++;
	return added;
}

void block_table__remove(struct block_table *t, struct block_io *io)
{
	struct block_io **bucket = bucket_of_io(t, io);

	DL_DELETE2(*bucket, io, bucket_prev, bucket_next);
	if (io->emitted)
		DL_DELETE2(t->emitted, io, age_prev, age_next);
	else
		DL_DELETE2(t->pending, io, age_prev, age_next);
	io->age_next = t->unused;
	t->unused = io;
	t->count--;
}

void block_table__move(struct block_table *t, struct block_io *io, uint64_t sector)
{
	struct block_io **bucket = bucket_of_io(t, io);

	DL_DELETE2(*bucket, io, bucket_prev, bucket_next);
	io->row.sector = sector;
	bucket = bucket_of_io(t, io);
	DL_APPEND2(*bucket, io, bucket_prev, bucket_next);
}

struct block_io *block_table__find(const struct block_table *t, uint32_t device, uint32_t kind,
				   uint64_t sector, uint64_t bytes,
				   bool (*wanted)(const struct block_io *io))
{
	struct block_io *io = t->buckets[bucket_of(device, kind, sector)], *first = NULL;

	for (unsigned int steps = 0; io && steps < STEPS_MAX; io = io->bucket_next, steps++) {
		if (io->row.sector != sector || io->row.device != device || io->kind != kind ||
		    (wanted && !wanted(io)))
			continue;
		if (io->row.bytes == bytes)
			return io;
		first = first ? first : io;
	}
	return first;
}

struct block_io *block_table__find_around(const struct block_table *t, uint32_t device,
					  uint32_t kind, uint64_t sector)
{
	struct block_io *io = t->pending ? t->pending->age_prev : NULL; /* the youngest */

	for (unsigned int steps = 0; io && steps < STEPS_MAX; steps++) {
		if (io->row.device == device && io->kind == kind && io->row.sector < sector &&
		    sector - io->row.sector < io->row.bytes / SECTOR_BYTES)
			return io;
		io = io == t->pending ? NULL : io->age_prev;
	}
	return NULL;
}

struct block_io *block_table__oldest(const struct block_table *t)
{
	return t->pending;
}

void block_table__mark_emitted(struct block_table *t, struct block_io *io)
{
	DL_DELETE2(t->pending, io, age_prev, age_next);
	io->emitted = true;
	DL_APPEND2(t->emitted, io, age_prev, age_next);
}

bool block_table__forget(struct block_table *t)
{
	if (!t->emitted)
		return false;
	block_table__remove(t, t->emitted);
	return true;
}

uint32_t block_table__count(const struct block_table *t)
{
	return t->count;
}
