/* SPDX-License-Identifier: MIT */
/*
 * The requests of one device of a trace in order of creation: a first pass over the whole file
 * finds devices and extents, a second delivers the rows.
 */
#ifndef BLKREEL_WORKLOAD_TRACE_REQUESTS_H
#define BLKREEL_WORKLOAD_TRACE_REQUESTS_H

#include <stdbool.h>

#include "trace/file/reader.h"
#include "workload/figures/size_octaves.h"

/* What the first pass knows of a device. */
struct device_extent {
	uint32_t device;  /* table id */
	uint64_t ios;	  /* requests */
	uint64_t own_ios; /* of these: not the work of an IO of a device above */
	uint64_t first_ns, last_ns;
	uint64_t first_sector, end_sector; /* of all that have an address; 0, 0: none has */
	uint64_t starts[8];		   /* by sector modulo 8 */
	struct size_octaves sizes;
};

struct trace_extents {
	uint32_t count;
	struct device_extent *devices;
	uint32_t *places; /* by device id: in `devices`, counted from 1; 0: no request */
};

/*
 * 0, or what trace_reader__next() failed with (what came before it is counted), -ENOMEM, or
 * -E2BIG: over 1024 devices, of which one has an id that no trace can have.
 */
int trace_extents__scan(struct trace_reader *r, struct trace_extents *extents);
void trace_extents__release(struct trace_extents *extents);

/* The device with this name; with NULL the one with the most requests of its own. NULL: there is
 * none. */
const struct device_extent *trace_extents__choose(const struct trace_extents *extents,
						  const struct trace_reader *r, const char *name);

/* Where blocks of 4 KiB begin on this device, 0 to 7: what most requests agree on. */
unsigned int device_extent_block_offset(const struct device_extent *extent);

typedef int (*row_handler)(const struct io_row *row, void *context);

/*
 * Calls `handle` for each request of the device in order of creation, times counted from its
 * first. Stops at the first non-zero result and returns it. *late_rows: rows that came too late
 * to be put in order. 0 or negative errno.
 */
int trace_requests(struct trace_reader *r, const struct device_extent *extent, row_handler handle,
		   void *context, uint64_t *late_rows);

#endif
