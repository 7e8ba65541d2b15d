// SPDX-License-Identifier: MIT
#include "collector/rows/depth.h"

#include <errno.h>
#include <stdlib.h>

#include <utlist.h>

#define HISTORY 32768u /* completions remembered for each device; a power of two */

struct device_depth {
	struct device_depth *next;
	uint32_t device;
	uint64_t completed;	 /* completed requests with an issue number */
	uint64_t lost;		 /* of these, how many have no record */
	uint64_t unsure_from_ns; /* bounds of the time in which lost records completed */
	uint64_t unsure_until_ns;
	uint64_t times_ns[HISTORY]; /* completion times; the newest at (completed - 1) % HISTORY */
};

/* The most recently used device is first. */
struct depth_meter {
	struct device_depth *first;
};

int depth_meter__create(struct depth_meter **meter)
{
	*meter = calloc(1, sizeof(**meter));
	return *meter ? 0 : -ENOMEM;
}

void depth_meter__free(struct depth_meter *meter)
{
	struct device_depth *d, *next;

	if (!meter)
		return;
	LL_FOREACH_SAFE(meter->first, d, next)
	free(d);
	free(meter);
}

static struct device_depth *find_device(struct depth_meter *meter, uint32_t device)
{
	struct device_depth *d;

	LL_SEARCH_SCALAR(meter->first, d, device, device);
	if (d)
		LL_DELETE(meter->first, d);
	else
		d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->device = device;
	LL_PREPEND(meter->first, d);
	return d;
}

/* Most requests were issued a few completions ago: gallop backwards from the newest, then
 * bisect. */
static uint64_t completed_by(const struct device_depth *d, uint64_t time_ns)
{
	uint64_t oldest = d->completed > HISTORY ? d->completed - HISTORY : 0;
	uint64_t low = d->completed, high = d->completed, step = 1;

	while (low > oldest && d->times_ns[(low - 1) % HISTORY] > time_ns) {
		high = low - 1;
		low = high - oldest > step ? high - step : oldest;
		step *= 2;
	}
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (d->times_ns[middle % HISTORY] <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t depth_meter__next(struct depth_meter *meter, uint32_t device, uint64_t issue_number,
			   uint64_t issued_ns, uint64_t completed_ns)
{
	struct device_depth *d;
	uint64_t before, oldest;

	if (!issue_number)
		return 0;
	d = find_device(meter, device);
	if (!d)
		return 0;
	before = completed_by(d, issued_ns);
	oldest = d->completed > HISTORY ? d->completed - HISTORY : 0;
	/* The end of a request can be unseen: it has no time, and the history is in order. */
	if (!completed_ns && d->completed)
		completed_ns = d->times_ns[(d->completed - 1) % HISTORY];
	d->times_ns[d->completed++ % HISTORY] = completed_ns;
	if (issue_number <= before || (oldest && before == oldest))
		return 0;
	if (issued_ns >= d->unsure_from_ns && issued_ns < d->unsure_until_ns)
		return 0;
	return (uint32_t)(issue_number - before);
}

void depth_meter__lost(struct depth_meter *meter, uint32_t device, uint64_t count, uint64_t now_ns)
{
	struct device_depth *d = find_device(meter, device);
	uint64_t last_ns;

	if (!d || d->lost >= count)
		return;
	last_ns = d->completed ? d->times_ns[(d->completed - 1) % HISTORY] : 0;
	if (last_ns > d->unsure_until_ns)
		d->unsure_from_ns = last_ns;
	d->unsure_until_ns = now_ns;
	for (; d->lost < count; d->lost++)
		d->times_ns[d->completed++ % HISTORY] = last_ns;
}
