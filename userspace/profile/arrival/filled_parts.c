// SPDX-License-Identifier: MIT
#include "profile/arrival/filled_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int filled_parts_init(struct filled_parts *f, uint32_t split_levels)
{
	*f = (struct filled_parts){.split_levels = split_levels};
	f->parts = calloc(2ull << split_levels, sizeof(*f->parts));
	return f->parts ? 0 : -ENOMEM;
}

void filled_parts_release(struct filled_parts *f)
{
	free(f->parts);
	f->parts = NULL;
}

static int by_part(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

void filled_parts_climb(struct filled_parts *f)
{
	if (f->fell)
		qsort(filled_parts_of(f, f->split_levels), f->counts[f->split_levels],
		      sizeof(*f->parts), by_part);
	for (uint32_t level = f->split_levels; level--;) {
		const uint32_t *below = filled_parts_of(f, level + 1);
		uint32_t *parts = filled_parts_of(f, level), count = 0, last = 0;

		for (uint32_t i = 0; i < f->counts[level + 1]; i++) {
			uint32_t part = below[i] / 2;

			count += part != last;
			parts[count - 1] = last = part;
		}
		f->counts[level] = count;
	}
}

void filled_parts_clear(struct filled_parts *f)
{
	memset(f->counts, 0, sizeof(f->counts));
	f->fell = false;
}
