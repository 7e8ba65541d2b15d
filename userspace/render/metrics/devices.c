// SPDX-License-Identifier: MIT
#include "render/metrics/metrics.h"

#include <string.h>

#include "base/units.h"

#define FIRST_BITS TALLY_CGROUP_UNIT_BITS
#define BUCKETS	   TALLY_CGROUP_BUCKETS

/* A figure of a device and operation. */
typedef uint64_t (*op_figure)(const struct live_device *device, unsigned int op);

static uint64_t ios(const struct live_device *device, unsigned int op)
{
	return device->probed ? device->probes.op[op].ios : device->kernel.ios[op];
}

static uint64_t bytes(const struct live_device *device, unsigned int op)
{
	return device->probed ? device->probes.op[op].bytes
			      : device->kernel.sectors[op] * SECTOR_BYTES;
}

static uint64_t merges(const struct live_device *device, unsigned int op)
{
	return device->kernel.merges[op];
}

static void labels_of(char labels[METRICS_LABELS_MAX], const struct live_device *device,
		      const char *op, const char *stage)
{
	labels[0] = '\0';
	exposition_label(labels, METRICS_LABELS_MAX, "device", device->name);
	exposition_label(labels, METRICS_LABELS_MAX, "op", op);
	exposition_label(labels, METRICS_LABELS_MAX, "stage", stage);
}

static void write_ops(struct exposition *x, const struct live_sample *total, op_figure figure)
{
	char labels[METRICS_LABELS_MAX];

	for (unsigned int i = 0; i < total->device_count; i++) {
		if (!total->devices[i].there)
			continue;
		for (unsigned int op = 0; op < TALLY_OP_COUNT; op++) {
			labels_of(labels, &total->devices[i], tick_op_name(op), "");
			exposition__value(x, labels, figure(&total->devices[i], op));
		}
	}
}

/* The kernel's table has eight buckets to a power of two; see TALLY_TIME_STEP_BITS. */
static void write_histogram(struct exposition *x, const char *labels, const uint64_t *fine,
			    uint64_t sum_ns)
{
	uint64_t counts[BUCKETS] = {0};
	unsigned int bucket = 0;

	for (unsigned int i = 0; i < TALLY_TIME_BUCKETS; i++) {
		while (bucket + 1 < BUCKETS &&
		       loglinear_low(&counting_time_scale, i) >= 1ull << (FIRST_BITS + bucket))
			bucket++;
		counts[bucket] += fine[i];
	}
	exposition__histogram(x, labels, counts, BUCKETS, FIRST_BITS, sum_ns);
}

static void write_latencies(struct exposition *x, const struct live_device *device,
			    const struct exemplars *exemplars)
{
	struct exposition_exemplar found[EXPOSITION_BUCKETS_MAX];
	char labels[METRICS_LABELS_MAX];

	for (unsigned int i = 0; i < TALLY_OP_COUNT; i++) {
		const struct counting_op_figures *op = &device->probes.op[i];

		if (exemplars)
			exposition__exemplars(x, found,
					      exemplars__find(exemplars, device->name,
							      tick_op_name(i), BUCKETS, FIRST_BITS,
							      found));
		labels_of(labels, device, tick_op_name(i), "total");
		write_histogram(x, labels, op->total, op->total_ns);
		labels_of(labels, device, tick_op_name(i), "device");
		write_histogram(x, labels, op->device, op->device_ns);
	}
}

static bool is_probed(const struct live_device *device)
{
	return device->there && device->probed;
}

#define EACH_PROBED(device, sample)                                         \
	for (const struct live_device *device = (sample)->devices;          \
	     device < (sample)->devices + (sample)->device_count; device++) \
		if (is_probed(device))

static void write_load(struct exposition *x, const struct metrics_source *source)
{
	const struct live_sample *total = source->total;
	char labels[METRICS_LABELS_MAX];

	exposition__family(x, "blkreel_device_busy_seconds", METRIC_COUNTER, "seconds",
			   "Time with at least one request in flight.");
	EACH_PROBED(device, total)
	{
		labels_of(labels, device, "", "");
		exposition__seconds(x, labels, device->probes.busy_ns);
	}
	exposition__family(x, "blkreel_device_in_flight_seconds", METRIC_COUNTER, "seconds",
			   "Requests in flight, integrated over time; its rate is the mean depth.");
	EACH_PROBED(device, total)
	{
		labels_of(labels, device, "", "");
		exposition__seconds(x, labels, device->probes.depth_ns);
	}
	exposition__family(x, "blkreel_device_in_flight", METRIC_GAUGE, NULL,
			   "Requests in flight now.");
	EACH_PROBED(device, total)
	{
		labels_of(labels, device, "", "");
		exposition__value(x, labels, device->probes.in_flight);
	}
	exposition__family(x, "blkreel_device_in_flight_max", METRIC_GAUGE, NULL,
			   "Most requests in flight at once since the last scrape.");
	EACH_PROBED(device, source->part)
	{
		labels_of(labels, device, "", "");
		exposition__value(x, labels, device->probes.depth_max);
	}
	exposition__family(x, "blkreel_device_passthrough_ios", METRIC_COUNTER, NULL,
			   "Commands of drivers and users, which are in no other figure.");
	EACH_PROBED(device, total)
	{
		labels_of(labels, device, "", "");
		exposition__value(x, labels, device->probes.passthrough_ios);
	}
}

void metrics__devices(struct exposition *x, const struct metrics_source *source)
{
	exposition__family(x, "blkreel_device_ios", METRIC_COUNTER, NULL,
			   "Completed IOs, counted as in /proc/diskstats.");
	write_ops(x, source->total, ios);
	exposition__family(x, "blkreel_device_io_bytes", METRIC_COUNTER, "bytes",
			   "Bytes of completed IOs.");
	write_ops(x, source->total, bytes);
	exposition__family(x, "blkreel_device_merges", METRIC_COUNTER, NULL,
			   "IOs that the kernel merged into others.");
	write_ops(x, source->total, merges);
	if (live__probes_error(source->live))
		return;
	write_load(x, source);
	exposition__family(
		x, "blkreel_device_io_seconds", METRIC_HISTOGRAM, "seconds",
		"Latency: total is from creation to completion, device from the hand-over to the driver.");
	EACH_PROBED(device, source->total)
	write_latencies(x, device, source->exemplars);
}
