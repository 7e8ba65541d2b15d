// SPDX-License-Identifier: MIT
#include "jobs/fio_zones.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/profile.h"

/* *size 0: not given. */
static int parse_zone(char *text, bool absolute, uint32_t *access_pct, uint64_t *size)
{
	char *slash = strchr(text, '/');
	uint64_t pct;

	*size = 0;
	if (slash)
		*slash++ = '\0';
	if (units_parse_count(text, 0, 100, &pct))
		return -EINVAL;
	*access_pct = (uint32_t)pct;
	if (absolute)
		return slash ? fio_size_value(slash, size) : -EINVAL;
	return slash && *slash && units_parse_count(slash, 0, 100, size) ? -EINVAL : 0;
}

/* ends[] holds sizes yet. */
static int add_up(struct fio_zones *z)
{
	uint64_t most = z->absolute ? PROFILE_BYTES_MAX : 100, sum = 0, access_pct = 0, missing = 0;

	for (unsigned int i = 0; i < z->count; i++) {
		if (z->ends[i] > most - sum)
			return -EINVAL;
		sum += z->ends[i];
		access_pct += z->access_pct[i];
		missing += !z->ends[i];
	}
	for (unsigned int i = 0; i < z->count; i++) {
		uint64_t size = z->ends[i] ? z->ends[i] : (most - sum) / missing;

		z->ends[i] = (i ? z->ends[i - 1] : 0) + size;
	}
	return access_pct == 100 ? 0 : -EINVAL;
}

static int parse_direction(char *text, bool absolute, struct fio_zones *z)
{
	char *rest = NULL;

	z->count = 0;
	z->absolute = absolute;
	for (char *entry = strtok_r(text, ":", &rest); entry; entry = strtok_r(NULL, ":", &rest)) {
		if (z->count == FIO_ZONES_MAX ||
		    parse_zone(entry, absolute, &z->access_pct[z->count], &z->ends[z->count]))
			return -EINVAL;
		z->count++;
	}
	return add_up(z);
}

int fio_zones_parse(const char *value, bool absolute, struct fio_zones *zones)
{
	char *text = strdup(value), *rest = text, *part;
	int err = text ? 0 : -ENOMEM;

	for (unsigned int i = 0; i < FIO_DIRECTIONS && !err; i++) {
		part = strsep(&rest, ",");
		if (part)
			err = parse_direction(part, absolute, &zones[i]);
		else
			zones[i] = zones[i - 1];
	}
	if (!err && rest)
		err = -EINVAL;
	free(text);
	return err;
}

static uint64_t end_bytes(const struct fio_zones *z, unsigned int zone, uint64_t size_bytes)
{
	uint64_t end = z->ends[zone];

	if (!z->absolute)
		return (uint64_t)((unsigned __int128)size_bytes * end / 100);
	return end < size_bytes ? end : size_bytes;
}

uint64_t fio_zones_draw(const struct fio_zones *z, uint64_t size_bytes, uint64_t align,
			uint64_t slots, struct prng *random)
{
	unsigned int zone = (unsigned int)prng_weighted_of(random, z->access_pct, 100);
	uint64_t begin = zone ? end_bytes(z, zone - 1, size_bytes) : 0;
	uint64_t end = end_bytes(z, zone, size_bytes);
	uint64_t first = (begin + align - 1) / align, last = (end + align - 1) / align;

	if (begin >= size_bytes)
		return prng_below(random, slots);
	if (first >= slots)
		first = slots - 1;
	if (last > slots)
		last = slots;
	return last > first ? first + prng_below(random, last - first) : first;
}
