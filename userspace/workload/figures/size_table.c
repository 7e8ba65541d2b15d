// SPDX-License-Identifier: MIT
#define HASH_NONFATAL_OOM 1
#include "workload/figures/size_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static uint64_t rounded(uint64_t bytes)
{
	unsigned int bits = bytes ? 64u - (unsigned int)__builtin_clzll(bytes) : 0;

	return bits > 7 ? bytes >> (bits - 7) << (bits - 7) : bytes;
}

static struct size_entry *find(const struct size_table *t, uint64_t bytes)
{
	struct size_entry *entry = NULL;

	HASH_FIND(hh, t->entries, &bytes, sizeof(bytes), entry);
	return entry;
}

int size_table_add(struct size_table *t, uint64_t bytes, uint64_t ios)
{
	struct size_entry **recent = &t->recent[bytes / 512 % SIZE_TABLE_RECENT];
	struct size_entry *entry = *recent && (*recent)->bytes == bytes ? *recent : find(t, bytes);

	if (!entry && HASH_COUNT(t->entries) >= SIZE_TABLE_MAX) {
		bytes = rounded(bytes);
		entry = find(t, bytes);
	}
	if (!entry) {
		entry = calloc(1, sizeof(*entry));
		if (!entry)
			return -ENOMEM;
		entry->bytes = bytes;
		HASH_ADD(hh, t->entries, bytes, sizeof(entry->bytes), entry);
		if (!entry->hh.tbl) {
			free(entry);
			return -ENOMEM;
		}
	}
	*recent = entry;
	entry->ios += ios;
	t->ios += ios;
	return 0;
}

void size_table_release(struct size_table *t)
{
	struct size_entry *entry, *next;

	HASH_ITER (hh, t->entries, entry, next) {
		HASH_DEL(t->entries, entry);
		free(entry);
	}
	*t = (struct size_table){0};
}

double size_table_distance(const struct size_table *a, const struct size_table *b)
{
	const struct size_entry *entry;
	double sum = 0;

	if (!a->ios || !b->ios)
		return a->ios == b->ios ? 0.0 : 1.0;
	for (entry = a->entries; entry; entry = entry->hh.next) {
		const struct size_entry *other = find(b, entry->bytes);

		sum += fabs((double)entry->ios / (double)a->ios -
			    (other ? (double)other->ios / (double)b->ios : 0.0));
	}
	for (entry = b->entries; entry; entry = entry->hh.next)
		if (!find(a, entry->bytes))
			sum += (double)entry->ios / (double)b->ios;
	return sum / 2;
}
