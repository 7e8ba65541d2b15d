// SPDX-License-Identifier: MIT
#include "collector/probes/record_time.h"

#include "bpf/bio.h"
#include "bpf/waits.h"

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
	if (bytes == sizeof(struct wait_event) && *type == RECORD_WAIT)
		return ((const struct wait_event *)data)->end_ns;
	return 0;
}
