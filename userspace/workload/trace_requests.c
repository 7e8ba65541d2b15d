// SPDX-License-Identifier: MIT
#include "workload/trace_requests.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/format.h"
#include "trace/file/writer.h"
#include "workload/row_order.h"

#define BITS(kind) (1u << (kind))

/* A row that was in flight when recording began may lack its earliest times. */
static uint64_t request_time(const struct io_row *row)
{
	if (row->created_ns)
		return row->created_ns;
	return row->issued_ns ? row->issued_ns : row->completed_ns;
}

/* Only forged rows have ids above the maximum of a trace: this many are accepted. */
#define FORGED_IDS_MAX 1024u

static struct device_extent *find_extent(const struct trace_extents *extents, uint32_t device)
{
	if (device <= TRACE_DEVICES_MAX)
		return extents->places[device] ? &extents->devices[extents->places[device] - 1]
					       : NULL;
	for (uint32_t i = 0; i < extents->count; i++)
		if (extents->devices[i].device == device)
			return &extents->devices[i];
	return NULL;
}

static struct device_extent *extent_of(struct trace_extents *extents, uint32_t device)
{
	struct device_extent *grown = find_extent(extents, device);

	if (grown)
		return grown;
	if (device > TRACE_DEVICES_MAX && extents->count >= FORGED_IDS_MAX)
		return NULL;
	grown = realloc(extents->devices, (extents->count + 1ull) * sizeof(*grown));
	if (!grown)
		return NULL;
	extents->devices = grown;
	grown += extents->count++;
	if (device <= TRACE_DEVICES_MAX)
		extents->places[device] = extents->count;
	*grown = (struct device_extent){.device = device, .first_ns = UINT64_MAX};
	return grown;
}

static bool has_address(const struct io_row *row)
{
	return row->bytes && row->op != IO_OP_FLUSH && row->sector < UINT64_MAX / 4 &&
	       row->bytes < UINT64_MAX / 4;
}

static void add_row(struct device_extent *e, const struct io_row *row)
{
	uint64_t time_ns = request_time(row);

	e->ios++;
	e->own_ios += !row->parent_id;
	if (time_ns < e->first_ns)
		e->first_ns = time_ns;
	if (time_ns > e->last_ns)
		e->last_ns = time_ns;
	if (has_address(row)) {
		uint64_t end = row->sector + (row->bytes + SECTOR_BYTES - 1) / SECTOR_BYTES;

		if (!e->end_sector || row->sector < e->first_sector)
			e->first_sector = row->sector;
		if (end > e->end_sector)
			e->end_sector = end;
		e->starts[row->sector % 8]++;
		size_octaves_add(&e->sizes, row);
	}
}

int trace_extents__scan(struct trace_reader *r, struct trace_extents *extents)
{
	struct device_extent *e = NULL;
	struct row_block block;
	int err;

	*extents = (struct trace_extents){0};
	extents->places = calloc(TRACE_DEVICES_MAX + 1, sizeof(*extents->places));
	extents->flush_machinery_ios =
		calloc(TRACE_DEVICES_MAX + 1, sizeof(*extents->flush_machinery_ios));
	if (!extents->places || !extents->flush_machinery_ios)
		return -ENOMEM;
	while ((err = trace_reader__next(r, BITS(ROW_IO), &block)) > 0) {
		for (uint32_t i = 0; i < block.rows; i++) {
			if (!io_row_is_request(&block.io[i])) {
				if (block.io[i].device <= TRACE_DEVICES_MAX)
					extents->flush_machinery_ios[block.io[i].device]++;
				continue;
			}
			if (!e || e->device != block.io[i].device)
				e = extent_of(extents, block.io[i].device);
			if (!e)
				return block.io[i].device > TRACE_DEVICES_MAX ? -E2BIG : -ENOMEM;
			add_row(e, &block.io[i]);
		}
	}
	for (uint32_t i = 0; i < extents->count; i++) {
		e = &extents->devices[i];
		if (e->device <= TRACE_DEVICES_MAX)
			e->flush_machinery_ios = extents->flush_machinery_ios[e->device];
	}
	return err;
}

void trace_extents__release(struct trace_extents *extents)
{
	free(extents->devices);
	free(extents->places);
	free(extents->flush_machinery_ios);
	*extents = (struct trace_extents){0};
}

const struct device_extent *trace_extents__choose(const struct trace_extents *extents,
						  const struct trace_reader *r, const char *name)
{
	const struct device_extent *chosen = NULL;

	for (uint32_t i = 0; i < extents->count; i++) {
		const struct device_extent *e = &extents->devices[i];

		if (name) {
			const struct trace_device *device = trace_reader__device(r, e->device);

			if (device && !strcmp(device->name, name))
				return e;
		} else if (!chosen || e->own_ios > chosen->own_ios) {
			chosen = e;
		}
	}
	return chosen;
}

unsigned int device_extent_block_offset(const struct device_extent *extent)
{
	unsigned int most = 0;

	for (unsigned int i = 1; i < 8; i++)
		if (extent->starts[i] > extent->starts[most])
			most = i;
	return most;
}

static int deliver(struct io_row *row, const struct device_extent *extent, row_handler handle,
		   void *context)
{
	row->created_ns -= extent->first_ns;
	row->issued_ns -= row->issued_ns > extent->first_ns ? extent->first_ns : row->issued_ns;
	row->completed_ns -=
		row->completed_ns > extent->first_ns ? extent->first_ns : row->completed_ns;
	return handle(row, context);
}

static int push_block(struct row_order *order, const struct row_block *block,
		      const struct device_extent *extent, row_handler handle, void *context)
{
	struct io_row row, next;
	int err = 0;

	for (uint32_t i = 0; i < block->rows && !err; i++) {
		if (block->io[i].device != extent->device || !io_row_is_request(&block->io[i]))
			continue;
		row = block->io[i];
		row.created_ns = request_time(&row);
		if (row_order__push(order, &row, &next))
			err = deliver(&next, extent, handle, context);
	}
	return err;
}

int trace_requests(struct trace_reader *r, const struct device_extent *extent, row_handler handle,
		   void *context, uint64_t *late_rows)
{
	struct row_order *order;
	struct row_block block;
	struct io_row row;
	int err, result = 0;

	err = row_order__create(ROW_IO, &order);
	if (err)
		return err;
	err = trace_reader__rewind(r);
	while (!err && !result && (err = trace_reader__next(r, BITS(ROW_IO), &block)) > 0) {
		err = 0;
		result = push_block(order, &block, extent, handle, context);
	}
	while (!result && row_order__drain(order, &row))
		result = deliver(&row, extent, handle, context);
	*late_rows = row_order__late_rows(order);
	row_order__free(order);
	return result ? result : err;
}
