/* SPDX-License-Identifier: MIT */
/*
 * The requests of one device of a trace in order of creation. A first pass over the whole file
 * finds the devices, a second one delivers the rows.
 */
#ifndef BLKREEL_WORKLOAD_TRACE_REQUESTS_H
#define BLKREEL_WORKLOAD_TRACE_REQUESTS_H

#include <stdbool.h>

#include "trace/file/reader.h"
#include "workload/figures/size_table.h"

/* The results of the first pass for a device. */
struct device_extent {
	uint32_t device;	      /* table id */
	uint64_t ios;		      /* requests */
	uint64_t own_ios;	      /* of these: not caused by an IO of a device above */
	uint64_t flush_machinery_ios; /* not in ios: the kernel sent them for writes that flush */
	uint64_t first_ns, last_ns;
	uint64_t first_sector, end_sector; /* of all IOs with an address; 0, 0: there are none */
	uint64_t starts[8];		   /* by sector modulo 8 */
	struct size_octaves sizes;
};

struct trace_extents {
	uint32_t count;
	struct device_extent *devices;
	uint32_t *places;	       /* by device id: index in `devices` + 1; 0: no request */
	uint64_t *flush_machinery_ios; /* by device id */
};

/*
 * Makes the first pass. 0; an error of trace_reader__next() (the rows before it count); -ENOMEM;
 * -E2BIG: over 1024 devices, one of them with an id above the maximum of a trace. Free the extents
 * with trace_extents__release().
 */
int trace_extents__scan(struct trace_reader *r, struct trace_extents *extents);
void trace_extents__release(struct trace_extents *extents);

/*
 * The device with this name; with NULL the device with the most requests of its own. NULL: there is
 * none. Owned by `extents`.
 */
const struct device_extent *trace_extents__choose(const struct trace_extents *extents,
						  const struct trace_reader *r, const char *name);

/* The sector, 0 to 7, at which blocks of 4 KiB begin on this device, by most requests. */
unsigned int device_extent_block_offset(const struct device_extent *extent);

typedef int (*row_handler)(const struct io_row *row, void *context);

/*
 * Calls `handle` for each request of the device in order of creation, times counted from its first.
 * Stops at the first result other than 0 and returns it. *late_rows: rows that came too late to be
 * sorted. 0 or negative errno.
 */
int trace_requests(struct trace_reader *r, const struct device_extent *extent, row_handler handle,
		   void *context, uint64_t *late_rows);

#endif
