// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "render/json.h"
#include "render/stat/stat.h"

static const char *const quality_names[] = {
	[COUNTING_EXACT] = "exact",
	[COUNTING_FROM_ISSUE] = "exact, from issue",
	[COUNTING_FROM_ISSUE_BOUNDED] = "bounded, from issue",
};

/* Mean is exact; the others are those of log-linear buckets. */
static json_t *latency(const uint64_t *buckets, uint64_t count, uint64_t sum_ns)
{
	json_t *object = json_object();

	json_set_u64(object, "count", count);
	json_set_real(object, "mean", (double)sum_ns / (double)count);
	json_set_u64(object, "p50", loglinear_percentile(&counting_time_scale, buckets, 50));
	json_set_u64(object, "p90", loglinear_percentile(&counting_time_scale, buckets, 90));
	json_set_u64(object, "p99", loglinear_percentile(&counting_time_scale, buckets, 99));
	json_set_u64(object, "p99_9", loglinear_percentile(&counting_time_scale, buckets, 99.9));
	json_set_u64(object, "max", loglinear_percentile(&counting_time_scale, buckets, 100));
	return object;
}

static json_t *operation(const struct live_device *device, int op)
{
	const struct counting_op_figures *probes = &device->probes.op[op];
	const struct tick_row *kernel = &device->kernel;
	json_t *object = json_object(), *latencies;

	json_set_u64(object, "ios", kernel->ios[op]);
	json_set_u64(object, "merges", kernel->merges[op]);
	json_set_u64(object, "bytes", kernel->sectors[op] * SECTOR_BYTES);
	json_set_u64(object, "ticks_ms", kernel->ticks_ms[op]);
	if (!device->probed)
		return object;
	json_set_u64(object, "probed_ios", probes->ios);
	json_set_u64(object, "probed_bytes", probes->bytes);
	if (!probes->timed_ios && !probes->device_ios)
		return object;
	latencies = json_object();
	if (probes->timed_ios)
		json_object_set_new(latencies, "total",
				    latency(probes->total, probes->timed_ios, probes->total_ns));
	if (probes->device_ios)
		json_object_set_new(latencies, "device",
				    latency(probes->device, probes->device_ios, probes->device_ns));
	json_object_set_new(object, "latency_ns", latencies);
	return object;
}

static json_t *device_object(const struct live *live, const struct live_device *device)
{
	json_t *object = json_object();

	json_set_text(object, "name", device->name);
	json_set_u64(object, "major", device->major);
	json_set_u64(object, "minor", device->minor);
	for (int op = 0; op < TALLY_OP_COUNT; op++)
		json_object_set_new(object, tick_op_name(op), operation(device, op));
	json_set_bool(object, "iostats", device->accounted);
	json_set_u64(object, "io_ticks_ms", device->kernel.io_ticks_ms);
	json_set_u64(object, "in_queue_ms", device->kernel.in_queue_ms);
	if (!device->probed) {
		json_set_u64(object, "in_flight", device->kernel.in_flight);
		return object;
	}
	json_set_u64(object, "interval_ns", device->probes.interval_ns);
	json_set_u64(object, "busy_ns", device->probes.busy_ns);
	json_set_u64(object, "depth_ns", device->probes.depth_ns);
	json_set_u64(object, "depth_max", device->probes.depth_max);
	json_set_u64(object, "in_flight", device->probes.in_flight);
	json_set_u64(object, "passthrough_ios", device->probes.passthrough_ios);
	json_set_text(object, "quality",
		      device->probes.drift ? "wrong: see lost"
					   : quality_names[live__quality(live)]);
	return object;
}

static json_t *cache_object(const struct live_cache *cache)
{
	json_t *object = json_object();

	if (cache->has_reads) {
		json_set_u64(object, "reads", cache->reads);
		json_set_u64(object, "read_pages", cache->read_pages);
		json_set_u64(object, "fault_pages", cache->fault_pages);
	}
	if (cache->has_reads && cache->has_misses)
		json_set_u64(object, "hit_pages",
			     cache->read_pages > cache->demand_miss_pages
				     ? cache->read_pages - cache->demand_miss_pages
				     : 0);
	if (cache->has_misses) {
		json_set_u64(object, "demand_miss_pages", cache->demand_miss_pages);
		json_set_u64(object, "readahead_added_pages", cache->readahead_added_pages);
		json_set_u64(object, "readahead_used_pages", cache->readahead_used_pages);
		json_set_u64(object, "readahead_wasted_pages", cache->readahead_wasted_pages);
		json_set_u64(object, "readahead_untracked_pages", cache->readahead_untracked_pages);
	}
	json_set_u64(object, "dirtied_pages", cache->dirtied_pages);
	if (cache->has_written_back)
		json_set_u64(object, "written_back_pages", cache->written_back_pages);
	return object;
}

static json_t *lost_object(const struct live_lost *lost)
{
	json_t *object = json_object();

	json_set_u64(object, "total",
		     lost->probe_calls + lost->unreported + lost->cache_pages + lost->devices);
	json_set_u64(object, "probe_calls", lost->probe_calls);
	json_set_u64(object, "unreported_events", lost->unreported);
	json_set_u64(object, "cache_pages", lost->cache_pages);
	json_set_u64(object, "devices", lost->devices);
	return object;
}

static json_t *missing_array(const struct live *live)
{
	json_t *array = json_array();
	const struct live_missing *missing;
	unsigned int count;

	missing = live__missing(live, &count);
	for (unsigned int i = 0; i < count; i++) {
		json_t *object = json_object();

		json_set_text(object, "figures", missing[i].figures);
		json_set_text(object, "why", missing[i].why);
		json_array_append_new(array, object);
	}
	return array;
}

/* A disk that took the number of another appears, and the other vanishes. */
static json_t *changed(const struct live_sample *sample, enum live_change change)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < sample->device_count; i++)
		if (sample->devices[i].change == change ||
		    sample->devices[i].change == LIVE_REPLACED)
			json_array_append_new(array, json_string(sample->devices[i].name));
	return array;
}

int stat_json(FILE *out, const struct live *live, const struct live_sample *sample, bool total,
	      bool all)
{
	json_t *document = json_document("stat"), *devices = json_array();
	int err;

	errno = 0;
	for (unsigned int i = 0; i < sample->device_count; i++) {
		const struct live_device *device = &sample->devices[i];

		if (device->moved || device->named || (all && device->there))
			json_array_append_new(devices, device_object(live, device));
	}
	json_set_text(document, "kind", total ? "total" : "interval");
	json_set_u64(document, "wall_ns", sample->wall_ns);
	json_set_u64(document, "time_ns", sample->time_ns);
	json_set_u64(document, "interval_ns", sample->interval_ns);
	json_object_set_new(document, "devices", devices);
	if (sample->cache.has_account)
		json_object_set_new(document, "cache", cache_object(&sample->cache));
	json_object_set_new(document, "appeared", changed(sample, LIVE_APPEARED));
	json_object_set_new(document, "vanished", changed(sample, LIVE_VANISHED));
	json_object_set_new(document, "lost", lost_object(&sample->lost));
	json_object_set_new(document, "missing", missing_array(live));
	err = json_dumpf(document, out, JSON_COMPACT | JSON_REAL_PRECISION(12));
	json_decref(document);
	if (!err && fputc('\n', out) != EOF)
		return 0;
	return errno ? -errno : -EIO;
}
