// SPDX-License-Identifier: MIT
#include "replay/target/io_limits.h"

void io_limits__read(const struct safety_view *view, dev_t device, struct io_limits *limits)
{
	*limits = (struct io_limits){
		.io_bytes = 1024 * safety__sysfs_number(view, device, "queue/max_sectors_kb", 0),
		.segments = safety__sysfs_number(view, device, "queue/max_segments", 0),
		.segment_bytes = safety__sysfs_number(view, device, "queue/max_segment_size", 0),
	};
}

uint64_t io_limits__whole_bytes(const struct io_limits *limits, uint64_t run_bytes)
{
	uint64_t segment_bytes = limits->segment_bytes;
	uint64_t whole_bytes;

	if (!segment_bytes || segment_bytes > run_bytes)
		segment_bytes = run_bytes;
	whole_bytes = limits->segments * segment_bytes;
	if (!whole_bytes || (limits->io_bytes && limits->io_bytes < whole_bytes))
		whole_bytes = limits->io_bytes;
	return whole_bytes;
}
