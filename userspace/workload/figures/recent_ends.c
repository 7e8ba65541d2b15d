// SPDX-License-Identifier: MIT
#include "workload/figures/recent_ends.h"

#include <string.h>

#include "base/units.h"

/* Start value of a run: the end of its first request is rounded up. */
#define CARRY_AT_FIRST (SECTOR_BYTES - 1)

static unsigned int bucket_of(uint64_t sector)
{
	return (unsigned int)(sector * 0x9e3779b97f4a7c15ull >> (64 - RECENT_BUCKET_BITS));
}

int recent_ends_rank(const struct recent_ends *r, uint64_t sector)
{
	if (!r->buckets[bucket_of(sector)])
		return -1;
	for (unsigned int i = 0; i < r->count; i++)
		if (r->ends[i] == sector)
			return (int)i;
	return -1;
}

static void add(struct recent_ends *r, int continued, uint64_t end, uint32_t owner, uint64_t carry)
{
	unsigned int count = r->count, moved;

	if (continued < 0)
		continued = recent_ends_rank(r, end);
	if (continued >= 0)
		moved = (unsigned int)continued;
	else if (r->count < RECENT_ENDS)
		moved = r->count++;
	else
		moved = RECENT_ENDS - 1;
	if (moved < count)
		r->buckets[bucket_of(r->ends[moved])]--;
	r->buckets[bucket_of(end)]++;
	memmove(r->ends + 1, r->ends, moved * sizeof(r->ends[0]));
	memmove(r->owners + 1, r->owners, moved * sizeof(r->owners[0]));
	memmove(r->carry + 1, r->carry, moved * sizeof(r->carry[0]));
	r->carry[0] = (uint16_t)carry;
	r->ends[0] = end;
	r->owners[0] = owner;
}

void recent_ends_add(struct recent_ends *r, int continued, uint64_t end, uint32_t owner)
{
	add(r, continued, end, owner, CARRY_AT_FIRST);
}

void recent_ends_follow(struct recent_ends *r, int continued, uint64_t sector, uint64_t bytes,
			uint32_t owner)
{
	uint64_t carry = continued < 0 ? CARRY_AT_FIRST : r->carry[continued];
	uint64_t sum = carry + bytes % SECTOR_BYTES;

	add(r, continued, sector + bytes / SECTOR_BYTES + sum / SECTOR_BYTES, owner,
	    sum % SECTOR_BYTES);
}
