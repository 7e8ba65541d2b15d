// SPDX-License-Identifier: MIT
#include "profile/build/pinned_bursts.h"

#include <stdbool.h>
#include <string.h>

/* Times the mean: of the busiest few, and of the others, which have at least so many IOs. */
#define FIRST		 8
#define FIRST_STANDS_OUT 2.0
#define STANDS_OUT	 4.0
#define IOS_MIN		 16
#define WINDOWS_MANY \
	(4 * FIRST) /* without the busiest few the others still say how windows split */

static uint64_t height(const struct pinned_bursts *k, uint32_t index)
{
	return k->bursts[index].ios[k->level - 1];
}

/* The latest of those with the fewest IOs. */
static uint32_t lowest(const struct pinned_bursts *k)
{
	uint32_t least = 0;

	for (uint32_t i = 1; i < k->count; i++)
		if (height(k, i) <= height(k, least))
			least = i;
	return least;
}

static void drop(struct pinned_bursts *k, uint32_t index)
{
	memmove(&k->bursts[index], &k->bursts[index + 1],
		(--k->count - index) * sizeof(k->bursts[0]));
}

void pinned_bursts_offer(struct pinned_bursts *k, const struct profile_pinned_burst *burst)
{
	k->offered++;
	if (k->count == PROFILE_PINNED_BURSTS_MAX) {
		uint32_t least = lowest(k);

		if (height(k, least) >= burst->ios[k->level - 1])
			return;
		drop(k, least);
	}
	k->bursts[k->count++] = *burst;
}

/* The busiest few are kept wherever they are few among the windows. */
static bool stands_out(const struct pinned_bursts *k, uint64_t ios, double mean_ios)
{
	if (k->count > FIRST)
		return ios >= IOS_MIN && (double)ios >= STANDS_OUT * mean_ios;
	return k->offered >= WINDOWS_MANY || (double)ios >= FIRST_STANDS_OUT * mean_ios;
}

void pinned_bursts_choose(struct pinned_bursts *k, double mean_ios)
{
	while (k->count) {
		uint32_t least = lowest(k);

		if (stands_out(k, height(k, least), mean_ios))
			return;
		drop(k, least);
	}
}
