// SPDX-License-Identifier: MIT
#include "replay/source/footprint.h"

#include <errno.h>
#include <stdlib.h>

/* In granules. `before`: granules in parts with lower addresses. */
struct part {
	uint64_t first, end, before;
};

struct footprint {
	uint32_t count, capacity;
	struct part *parts;
};

int footprint__create(struct footprint **footprint)
{
	*footprint = calloc(1, sizeof(**footprint));
	return *footprint ? 0 : -ENOMEM;
}

void footprint__free(struct footprint *f)
{
	if (f)
		free(f->parts);
	free(f);
}

static int by_first(const void *a, const void *b)
{
	const struct part *first = a, *second = b;

	return (first->first > second->first) - (first->first < second->first);
}

/* Sorts the parts and joins those that touch. */
static void merge(struct footprint *f)
{
	uint32_t merged = 0;

	if (!f->count)
		return;
	qsort(f->parts, f->count, sizeof(f->parts[0]), by_first);
	for (uint32_t i = 1; i < f->count; i++) {
		struct part *last = &f->parts[merged];

		if (f->parts[i].first > last->end)
			f->parts[++merged] = f->parts[i];
		else if (f->parts[i].end > last->end)
			last->end = f->parts[i].end;
	}
	f->count = merged + 1;
}

static int make_room(struct footprint *f)
{
	uint32_t capacity = f->capacity ? 2 * f->capacity : 1024;
	struct part *parts;

	if (f->count < f->capacity)
		return 0;
	merge(f);
	/* Grows unless half of it is free, or the parts would be sorted again and again. */
	if (f->count <= f->capacity / 2 && f->capacity)
		return 0;
	if (f->capacity >= 2 * FOOTPRINT_PARTS_MAX)
		return -E2BIG;
	parts = realloc(f->parts, capacity * sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	f->parts = parts;
	f->capacity = capacity;
	return 0;
}

int footprint__add(struct footprint *f, const struct replay_io *io)
{
	struct part part = {.first = io->offset_bytes / FOOTPRINT_GRANULE_BYTES}, *last;
	int err;

	if (!io->length_bytes)
		return 0;
	part.end = (io->offset_bytes + io->length_bytes - 1) / FOOTPRINT_GRANULE_BYTES + 1;
	last = f->count ? &f->parts[f->count - 1] : NULL;
	if (last && part.first >= last->first && part.first <= last->end) {
		last->end = part.end > last->end ? part.end : last->end;
		return 0;
	}
	err = make_room(f);
	if (!err)
		f->parts[f->count++] = part;
	return err;
}

int footprint__finish(struct footprint *f)
{
	uint64_t before = 0;

	merge(f);
	for (uint32_t i = 0; i < f->count; i++) {
		f->parts[i].before = before;
		before += f->parts[i].end - f->parts[i].first;
	}
	return f->count > FOOTPRINT_PARTS_MAX ? -E2BIG : 0;
}

uint64_t footprint__bytes(const struct footprint *f)
{
	const struct part *last = f->count ? &f->parts[f->count - 1] : NULL;

	return last ? (last->before + last->end - last->first) * FOOTPRINT_GRANULE_BYTES : 0;
}

uint64_t footprint__place(const struct footprint *f, uint64_t offset_bytes)
{
	uint64_t granule = offset_bytes / FOOTPRINT_GRANULE_BYTES;
	uint32_t low = 0, high = f->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (f->parts[middle].end <= granule)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == f->count || f->parts[low].first > granule)
		return UINT64_MAX;
	return (f->parts[low].before + granule - f->parts[low].first) * FOOTPRINT_GRANULE_BYTES +
	       offset_bytes % FOOTPRINT_GRANULE_BYTES;
}
