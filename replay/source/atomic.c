// SPDX-License-Identifier: MIT
#include "replay/source/atomic.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/units.h"

/* Linux 6.11, include/uapi/linux/stat.h; older headers do not have it. */
#ifndef STATX_WRITE_ATOMIC
#define STATX_WRITE_ATOMIC 0x00010000u
#endif
#define STATX_UNITS_AT 0xa8u

void atomic_units__read(int fd, struct atomic_units *units)
{
	struct statx extended;

	*units = (struct atomic_units){0};
	memset(&extended, 0, sizeof(extended));
	_Static_assert(sizeof(extended) >= STATX_UNITS_AT + sizeof(*units), "statx is that long");
	if (statx(fd, "", AT_EMPTY_PATH, STATX_WRITE_ATOMIC, &extended) ||
	    !(extended.stx_mask & STATX_WRITE_ATOMIC))
		return;
	memcpy(units, (const char *)&extended + STATX_UNITS_AT, sizeof(*units));
}

static bool is_even(uint64_t offset_bytes, uint64_t length_bytes)
{
	return length_bytes && !(length_bytes & (length_bytes - 1)) &&
	       !(offset_bytes & (length_bytes - 1));
}

bool atomic_units__take(const struct atomic_units *units, uint64_t offset_bytes,
			uint64_t length_bytes)
{
	return is_even(offset_bytes, length_bytes) && length_bytes >= units->min_bytes &&
	       length_bytes <= units->max_bytes;
}

void atomic_survey__add(struct atomic_survey *s, uint64_t offset_bytes, uint64_t length_bytes)
{
	if (!s->ios++ || length_bytes < s->shortest_bytes)
		s->shortest_bytes = length_bytes;
	if (length_bytes > s->longest_bytes)
		s->longest_bytes = length_bytes;
	s->uneven += !is_even(offset_bytes, length_bytes);
}

bool atomic_survey__fits(const struct atomic_survey *s, const struct atomic_units *units, char *why,
			 size_t size)
{
	char text[UNITS_TEXT_MAX];

	if (!s->ios)
		return true;
	if (!units->max_bytes)
		snprintf(why, size, "it has none");
	else if (s->longest_bytes > units->max_bytes)
		snprintf(why, size, "it takes %s at the most", units_bytes(units->max_bytes, text));
	else if (s->shortest_bytes < units->min_bytes)
		snprintf(why, size, "it takes %s at the least",
			 units_bytes(units->min_bytes, text));
	else if (s->uneven)
		snprintf(why, size,
			 "%s of them do not lie on a multiple of their length, or have none that "
			 "is a power of two",
			 units_count(s->uneven, text));
	else
		return true;
	return false;
}
