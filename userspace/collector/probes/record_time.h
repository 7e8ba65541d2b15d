/* SPDX-License-Identifier: MIT */
/* The end time of a record of the probes, in ns of the monotonic clock. */
#ifndef BLKREEL_COLLECTOR_PROBES_RECORD_TIME_H
#define BLKREEL_COLLECTOR_PROBES_RECORD_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/event.h"

/* The end time of an operation on a file. */
uint64_t record_time_access_end_ns(const struct access_event *event);

/* The end time of any record; 0: its end was not seen, or it has no time (names and links). */
uint64_t record_time_ns(const void *data, size_t bytes);

#endif
