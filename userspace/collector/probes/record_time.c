// SPDX-License-Identifier: MIT
#include "collector/probes/record_time.h"

#include "bpf/bio.h"

uint64_t record_time_access_end_ns(const struct access_event *event)
{
	return event->time_ns + event->duration_ns;
}

uint64_t record_time_ns(const void *data, size_t bytes)
{
	const uint8_t *type = data;

	if (bytes == sizeof(struct io_event) && *type == EVENT_IO)
		return ((const struct io_event *)data)->completed_ns;
	if (bytes == sizeof(struct bio_event) && *type == RECORD_BIO)
		return ((const struct bio_event *)data)->completed_ns;
	if (bytes == sizeof(struct access_event) && *type == EVENT_ACCESS)
		return record_time_access_end_ns(data);
	return 0;
}
