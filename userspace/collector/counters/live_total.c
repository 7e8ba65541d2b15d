// SPDX-License-Identifier: MIT
#include "collector/counters/live_total.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void add_kernel(struct tick_row *total, const struct tick_row *tick)
{
	for (unsigned int op = 0; op < TICK_OP_COUNT; op++) {
		total->ios[op] += tick->ios[op];
		total->merges[op] += tick->merges[op];
		total->sectors[op] += tick->sectors[op];
		total->ticks_ms[op] += tick->ticks_ms[op];
	}
	total->in_flight = tick->in_flight;
	total->io_ticks_ms += tick->io_ticks_ms;
	total->in_queue_ms += tick->in_queue_ms;
}

static void add_op(struct counting_op_figures *total, const struct counting_op_figures *op)
{
	total->ios += op->ios;
	total->bytes += op->bytes;
	total->total_ns += op->total_ns;
	total->timed_ios += op->timed_ios;
	total->device_ns += op->device_ns;
	total->device_ios += op->device_ios;
	total->written_back_pages += op->written_back_pages;
	for (unsigned int i = 0; i < TALLY_TIME_BUCKETS; i++) {
		total->total[i] += op->total[i];
		total->device[i] += op->device[i];
	}
	for (unsigned int i = 0; i < TALLY_SIZE_BUCKETS; i++)
		total->size[i] += op->size[i];
}

static void add_probes(struct counting_figures *total, const struct counting_figures *figures)
{
	total->time_ns = figures->time_ns;
	total->interval_ns += figures->interval_ns;
	total->busy_ns += figures->busy_ns;
	total->depth_ns += figures->depth_ns;
	total->in_flight = figures->in_flight;
	if (figures->depth_max > total->depth_max)
		total->depth_max = figures->depth_max;
	total->passthrough_ios += figures->passthrough_ios;
	total->drift += figures->drift;
	for (unsigned int op = 0; op < TALLY_OP_COUNT; op++)
		add_op(&total->op[op], &figures->op[op]);
}

static void add_cache(struct live_cache *total, const struct live_cache *cache)
{
	total->has_account = cache->has_account;
	total->has_reads = cache->has_reads;
	total->has_misses = cache->has_misses;
	total->has_written_back = cache->has_written_back;
	total->reads += cache->reads;
	total->read_pages += cache->read_pages;
	total->demand_miss_pages += cache->demand_miss_pages;
	total->fault_pages += cache->fault_pages;
	total->readahead_added_pages += cache->readahead_added_pages;
	total->readahead_used_pages += cache->readahead_used_pages;
	total->readahead_wasted_pages += cache->readahead_wasted_pages;
	total->readahead_untracked_pages += cache->readahead_untracked_pages;
	total->dirtied_pages += cache->dirtied_pages;
	total->written_back_pages += cache->written_back_pages;
}

static struct live_device *find_or_add(struct live_sample *total, const struct live_device *device)
{
	struct live_device *devices, *at;

	for (unsigned int i = 0; i < total->device_count; i++)
		if (total->devices[i].major == device->major &&
		    total->devices[i].minor == device->minor)
			return &total->devices[i];
	devices = realloc(total->devices, (total->device_count + 1) * sizeof(*devices));
	if (!devices)
		return NULL;
	total->devices = devices;
	at = &devices[total->device_count++];
	memset(at, 0, sizeof(*at));
	at->major = device->major;
	at->minor = device->minor;
	return at;
}

int live_total__add(struct live_sample *total, const struct live_sample *sample)
{
	total->time_ns = sample->time_ns;
	total->wall_ns = sample->wall_ns;
	total->interval_ns += sample->interval_ns;
	add_cache(&total->cache, &sample->cache);
	total->lost.probe_calls += sample->lost.probe_calls;
	total->lost.end_calls += sample->lost.end_calls;
	total->lost.cache_calls += sample->lost.cache_calls;
	total->lost.unreported += sample->lost.unreported;
	total->lost.cache_pages += sample->lost.cache_pages;
	total->lost.devices += sample->lost.devices;
	for (unsigned int i = 0; i < sample->device_count; i++) {
		const struct live_device *device = &sample->devices[i];
		struct live_device *sum = find_or_add(total, device);

		if (!sum)
			return -ENOMEM;
		memcpy(sum->name, device->name, sizeof(sum->name));
		sum->named = device->named;
		sum->there = device->there;
		sum->probed |= device->probed;
		sum->accounted = device->accounted;
		sum->moved |= device->moved;
		if (device->change != LIVE_SAME)
			sum->change = device->change;
		add_kernel(&sum->kernel, &device->kernel);
		add_probes(&sum->probes, &device->probes);
	}
	return 0;
}

void live_total__release(struct live_sample *total)
{
	free(total->devices);
	memset(total, 0, sizeof(*total));
}
