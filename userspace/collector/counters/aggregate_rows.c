// SPDX-License-Identifier: MIT
#include "collector/counters/aggregate_rows.h"

#include <errno.h>

static const uint8_t io_ops[] = {
	[TALLY_READ] = IO_OP_READ,
	[TALLY_WRITE] = IO_OP_WRITE,
	[TALLY_DISCARD] = IO_OP_DISCARD,
	[TALLY_FLUSH] = IO_OP_FLUSH,
};

int aggregate_rows__add_tiers(struct trace_writer *writer, enum counting_quality quality)
{
	static const char *const notes[] = {
		[COUNTING_EXACT] = "from creation to completion",
		[COUNTING_FROM_ISSUE] = "from issue to completion: no block_io_start here",
		[COUNTING_FROM_ISSUE_BOUNDED] =
			"from issue to completion; atomic additions return no value on this kernel, so two CPUs at the same moment can lose or double a busy period",
	};
	struct trace_tier filter = {
		.figure = TRACE_TIER_FILTER,
		.how = "no requests (--aggregate)",
		.quality = "exact",
		.note = "requests were counted, not recorded: they are in tick and hist rows, not in io rows",
	};
	struct trace_tier busy = {
		.figure = "busy_time",
		.how = "tp_btf",
		.quality = quality == COUNTING_FROM_ISSUE_BOUNDED ? "bounded" : "exact",
		.note = notes[quality],
	};
	struct trace_tier histograms = {
		.figure = "histograms",
		.how = "tp_btf block_rq_complete",
		.quality = "bounded",
		.note = "time buckets of 1/8 of a power of two, size buckets of 1/4; times as the kernel keeps them in the request",
	};
	int err;

	err = trace_writer__add_tier(writer, &filter);
	if (!err)
		err = trace_writer__add_tier(writer, &busy);
	return err ? err : trace_writer__add_tier(writer, &histograms);
}

static int append_buckets(struct trace_writer *writer, struct hist_row *row,
			  const struct loglinear *scale, const uint64_t *counts)
{
	int err = 0;

	for (uint32_t i = 0; i < scale->buckets && !err; i++) {
		if (!counts[i])
			continue;
		row->low = loglinear_low(scale, i);
		row->high = i + 1 < scale->buckets ? loglinear_low(scale, i + 1) : 0;
		row->count = counts[i];
		err = trace_writer__append_hist(writer, row);
	}
	return err;
}

static int append_histograms(struct trace_writer *writer, const struct live_device *device,
			     struct hist_row *row)
{
	int err = 0;

	for (int i = 0; i < TALLY_OP_COUNT && !err; i++) {
		const struct counting_op_figures *op = &device->probes.op[i];

		if (!op->ios)
			continue;
		row->op = io_ops[i];
		row->figure = HIST_TOTAL_NS;
		err = append_buckets(writer, row, &counting_time_scale, op->total);
		row->figure = HIST_DEVICE_NS;
		if (!err)
			err = append_buckets(writer, row, &counting_time_scale, op->device);
		row->figure = HIST_BYTES;
		if (!err)
			err = append_buckets(writer, row, &counting_size_scale, op->size);
	}
	return err;
}

static int append_device(struct trace_writer *writer, struct registry *registry,
			 const struct live_sample *sample, const struct live_device *device)
{
	struct tick_row tick = device->kernel;
	struct hist_row hist = {.time_ns = sample->time_ns, .interval_ns = sample->interval_ns};
	int err;

	tick.device = hist.device = registry__device(registry, device->major << 20 | device->minor);
	if (!tick.device)
		return -ENOMEM;
	tick.time_ns = sample->time_ns;
	tick.interval_ns = sample->interval_ns;
	/* An interval with drift was corrected, so its busy time and depth are not reported as
	 * measured. */
	if (device->probed && !device->probes.drift) {
		tick.measured = TICK_MEASURED_BUSY;
		tick.busy_ns = device->probes.busy_ns;
		tick.depth_ns = device->probes.depth_ns;
		tick.depth_max = device->probes.depth_max;
	}
	err = trace_writer__append_tick(writer, &tick);
	return err ? err : append_histograms(writer, device, &hist);
}

int aggregate_rows__append(struct trace_writer *writer, struct registry *registry,
			   const struct live_sample *sample)
{
	int err = 0;

	for (unsigned int i = 0; i < sample->device_count && !err; i++)
		if (sample->devices[i].moved)
			err = append_device(writer, registry, sample, &sample->devices[i]);
	return err;
}
