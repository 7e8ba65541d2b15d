/* SPDX-License-Identifier: MIT */
/* The limits on a cgroup's IO: io.max in cgroup v2, blkio.throttle in cgroup v1. */
#ifndef BLKREEL_COLLECTOR_HOST_GROUP_LIMITS_H
#define BLKREEL_COLLECTOR_HOST_GROUP_LIMITS_H

#include "trace/rows.h"

struct group_limits {
	struct trace_io_limit list[TRACE_IO_LIMITS_MAX];
	uint32_t count;
};

/*
 * Reads those of the cgroup at `path` below `mount`, and in cgroup v2 those of the cgroups above it, which hold as
 * well. What cannot be read is no limit; those beyond the bound are left out.
 */
void group_limits__read(const char *mount, const char *path, struct group_limits *limits);

#endif
