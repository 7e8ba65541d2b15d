#include "workload/recent_ends.h"

#include <string.h>

static uint8_t bucket_of(uint64_t sector)
{
	return (uint8_t)(sector * 0x9e3779b97f4a7c15ull >> 56);
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

void recent_ends_add(struct recent_ends *r, int continued, uint64_t end, uint32_t owner)
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
	r->ends[0] = end;
	r->owners[0] = owner;
}
