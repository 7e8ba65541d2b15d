// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/tables/id_table.h"

static int grow(struct id_table *t, uint32_t id)
{
	uint32_t size = t->size ? t->size : 16;
	void **entries;

	while (size <= id)
		size *= 2;
	entries = realloc(t->entries, size * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	memset(entries + t->size, 0, (size - t->size) * sizeof(*entries));
	t->entries = entries;
	t->size = size;
	return 0;
}

int id_table__add(struct id_table *t, uint32_t id, uint32_t max, void *entry)
{
	if (id <= t->highest)
		return -EINVAL;
	if (id > max)
		return -E2BIG;
	if (id >= t->size && grow(t, id))
		return -ENOMEM;
	t->entries[id] = entry;
	t->highest = id;
	return 0;
}

void *id_table__get(const struct id_table *t, uint32_t id)
{
	return id <= t->highest && t->size ? t->entries[id] : NULL;
}

void id_table__clear(struct id_table *t)
{
	for (uint32_t id = 0; id < t->size; id++)
		free(t->entries[id]);
	free(t->entries);
	*t = (struct id_table){0};
}
