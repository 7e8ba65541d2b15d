// SPDX-License-Identifier: MIT
#include "report/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "explain/explain.h"
#include "explain/figures/device_account.h"
#include "explain/figures/labels.h"
#include "trace/row_time.h"
#include "workload/figures/measure.h"
#include "workload/row_order.h"

/* Beyond so many blocks of 4 KiB the miss curve is of a sample. */
#define EXACT_BLOCKS (1u << 19)

/* Of counts and histograms: longer ones are no intervals of a recorder. */
#define INTERVAL_MAX_NS (1ull << 50)

/* A block of one device among those of all. */
#define DEVICE_SHIFT 44

struct maker {
	struct report *report;
	const struct explain_tables *tables;
	const char *const *chosen;
	uint32_t chosen_count;
	uint32_t latest_device; /* id, and whether it was chosen */
	bool latest_is_chosen, has_start;
	bool is_part;		 /* of a recording: IOs can have begun before it */
	struct row_order *order; /* the miss curve needs the order of creation */
	struct mrc *misses;
};

void report__free(struct report *r)
{
	if (!r)
		return;
	explanation__free(r->explanation);
	heat_map_release(&r->latency);
	task_series_release(&r->tasks);
	for (uint32_t i = 0; i < r->map_count; i++)
		address_map_release(&r->maps[i]);
	for (uint32_t i = 0; i < r->slowest_count; i++)
		free(r->slowest[i].file);
	free(r);
}

static bool is_chosen(struct maker *m, uint32_t id)
{
	const struct trace_device *device;

	if (!m->chosen_count || (id == m->latest_device && id))
		return !m->chosen_count || m->latest_is_chosen;
	device = m->tables->device(m->tables->context, id);
	m->latest_device = id;
	m->latest_is_chosen = false;
	for (uint32_t i = 0; device && i < m->chosen_count; i++)
		m->latest_is_chosen |= !strcmp(explain_device_word(m->chosen[i]), device->name);
	return m->latest_is_chosen;
}

static void double_bins(struct report *r)
{
	timeline_double(&r->timeline);
	heat_map_double_bins(&r->latency);
	task_series_double_bins(&r->tasks);
	for (uint32_t i = 0; i < r->map_count; i++)
		heat_map_double_bins(&r->maps[i].map);
}

static void make_room(struct report *r, const struct io_row *row)
{
	const uint64_t times[] = {row->created_ns, row->inserted_ns, row->issued_ns,
				  row->completed_ns};
	unsigned int doublings = 0;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		unsigned int needed = timeline_doublings(&r->timeline, times[i]);

		doublings = needed > doublings ? needed : doublings;
	}
	while (doublings--)
		double_bins(r);
}

static void note_slowest(struct report *r, const struct io_row *row, uint64_t total_ns)
{
	struct explain_slow_io slow = {.row = *row, .total_ns = total_ns};
	uint32_t at = r->slowest_count;

	if (at == REPORT_SLOWEST_MAX && r->slowest[at - 1].total_ns >= total_ns)
		return;
	while (at && r->slowest[at - 1].total_ns < total_ns)
		at--;
	if (r->slowest_count < REPORT_SLOWEST_MAX)
		r->slowest_count++;
	memmove(r->slowest + at + 1, r->slowest + at,
		(r->slowest_count - at - 1) * sizeof(*r->slowest));
	r->slowest[at] = slow;
}

static void add_sizes(struct report_sizes *sizes, uint64_t bytes, uint64_t count)
{
	uint32_t index = 0;

	if (!bytes)
		return;
	while (index < REPORT_SIZES - 1 && bytes > PAGE_BYTES << index)
		index++;
	sizes->ios[index] += count;
	sizes->bytes[index] += bytes * count;
}

static int add_address(struct report *r, const struct io_row *row, enum tick_op op, uint32_t bin)
{
	uint32_t i = 0;

	if (!row->bytes)
		return 0;
	while (i < r->map_count && r->maps[i].device != row->device)
		i++;
	if (i == REPORT_MAPS_MAX)
		return 0;
	if (i == r->map_count) {
		address_map_init(&r->maps[i], row->device, row->sector * SECTOR_BYTES);
		r->map_count++;
	}
	return address_map_add(&r->maps[i], op, bin, row->sector * SECTOR_BYTES);
}

static int add_misses(struct maker *m, const struct io_row *row)
{
	uint64_t first, count;
	int err = 0;

	if (!workload_blocks(row, 0, &first, &count))
		return 0;
	first += (uint64_t)row->device << DEVICE_SHIFT;
	for (uint64_t i = 0; i < count && !err; i++)
		err = mrc__touch(m->misses, first + i);
	return err;
}

static int add_io(struct maker *m, const struct io_row *row)
{
	struct report *r = m->report;
	int column = explain_column(row), err = 0;
	enum tick_op latency_op = (enum tick_op)column;
	struct io_row next;
	uint64_t total_ns;
	uint32_t bin;

	if (column < 0 || !is_chosen(m, row->device) || (row->parent_id && !m->chosen_count))
		return 0;
	if (!m->has_start) {
		r->timeline.start_ns = io_row_time_ns(row);
		m->has_start = true;
	}
	make_room(r, row);
	/* Those that a part began with are no load of its first moment. */
	if (!m->is_part || io_row_time_ns(row) >= r->timeline.start_ns)
		timeline_add(&r->timeline, row, (enum tick_op)column);
	bin = timeline_bin(&r->timeline, io_row_time_ns(row));
	add_sizes(&r->sizes[column], row->bytes, 1);
	/* Among the writes they would hide how long data takes. */
	if (io_row_is_flush_request(row))
		latency_op = TICK_FLUSH;
	if (explain_total_ns(row, &total_ns)) {
		note_slowest(r, row, total_ns);
		err = heat_map_add(&r->latency, latency_op, bin, latency_row(total_ns), 1);
	}
	if (!err)
		err = add_address(r, row, (enum tick_op)column, bin);
	if (!err)
		err = task_series_add(&r->tasks, row, bin);
	if (!err && row_order__push(m->order, row, &next))
		err = add_misses(m, &next);
	return err;
}

static uint64_t bounded(uint64_t value, uint64_t most)
{
	return value < most ? value : most;
}

static uint32_t bounded_sum(uint32_t a, uint64_t b)
{
	return b > UINT32_MAX - a ? UINT32_MAX : a + (uint32_t)b;
}

/* A bucket of a recording without rows of IOs. Bins are no finer than its interval. */
static int add_hist(struct maker *m, const struct hist_row *row)
{
	const uint64_t middle =
		row->high > row->low ? row->low + (row->high - row->low) / 2 : row->low;
	const struct io_row like = {.op = row->op};
	/* Intervals are never exactly as long as they should be. */
	const uint64_t least_ns = bounded(row->interval_ns, INTERVAL_MAX_NS) / 10 * 9;
	struct report *r = m->report;
	int column = explain_column(&like);
	struct timeline_load *load;
	uint64_t begin_ns;
	uint32_t bin;

	if (column < 0 || !is_chosen(m, row->device) || row->figure == HIST_DEVICE_NS)
		return 0;
	begin_ns = row->time_ns - (row->interval_ns < row->time_ns ? row->interval_ns : 0);
	if (!m->has_start) {
		r->timeline.start_ns = begin_ns;
		m->has_start = true;
	}
	if (!r->timeline.bins && r->timeline.width_ns < least_ns)
		r->timeline.width_ns = timeline_width_ns(least_ns * TIMELINE_BINS - 1);
	while (r->timeline.width_ns < least_ns)
		double_bins(r);
	for (unsigned int n = timeline_doublings(&r->timeline, row->time_ns); n; n--)
		double_bins(r);
	bin = timeline_bin(&r->timeline, begin_ns);
	load = &r->timeline.load[column];
	if (bin >= r->timeline.bins)
		r->timeline.bins = bin + 1;
	if (row->figure == HIST_BYTES) {
		load->bytes[bin] += row->low * row->count;
		add_sizes(&r->sizes[column], row->low, row->count);
	}
	/* The bytes of flushes are not counted. */
	if ((row->figure == HIST_BYTES) == (column != TICK_FLUSH))
		load->ios[bin] = bounded_sum(load->ios[bin], row->count);
	if (row->figure != HIST_TOTAL_NS)
		return 0;
	return heat_map_add(&r->latency, (enum tick_op)column, bin, latency_row(middle),
			    row->count);
}

static int see(void *context, const struct row_block *block)
{
	struct maker *m = context;
	int err = 0;

	for (uint32_t i = 0; i < block->rows && !err; i++) {
		if (block->kind == ROW_IO)
			err = add_io(m, &block->io[i]);
		else if (block->kind == ROW_CACHE)
			cache_series_add(&m->report->cache, &block->cache[i]);
		else if (block->kind == ROW_HIST)
			err = add_hist(m, &block->hist[i]);
	}
	return err;
}

static void choose_addresses(struct report *r, const struct explain_tables *tables)
{
	const struct trace_device *device;

	for (uint32_t i = 0; i < r->map_count; i++)
		if (!r->addresses || r->maps[i].ios > r->addresses->ios)
			r->addresses = &r->maps[i];
	if (!r->addresses)
		return;
	device = tables->device(tables->context, r->addresses->device);
	if (device)
		snprintf(r->addresses_device, sizeof(r->addresses_device), "%s", device->name);
	else
		snprintf(r->addresses_device, sizeof(r->addresses_device), "device-%u",
			 r->addresses->device);
}

static int finish(struct maker *m)
{
	struct report *r = m->report;
	struct io_row row;
	int err = 0;

	while (!err && row_order__drain(m->order, &row))
		err = add_misses(m, &row);
	if (err)
		return err;
	r->late_rows = row_order__late_rows(m->order);
	mrc__curve(m->misses, &r->misses);
	timeline_finish(&r->timeline, r->explanation->duration_ns);
	choose_addresses(r, m->tables);
	for (uint32_t i = 0; i < r->slowest_count && !err; i++)
		err = explain_name_slow_io(m->tables, &r->slowest[i]);
	return err ? err : task_series_finish(&r->tasks, m->tables);
}

int report_trace(struct trace_reader *reader, const char *const *devices, uint32_t device_count,
		 uint64_t duration_ns, uint64_t part_ns, struct report **result, int *read_err)
{
	const struct explain_tables tables = explain_tables_of(reader);
	struct maker m = {.tables = &tables, .chosen = devices, .chosen_count = device_count};
	const struct explain_watcher watcher = {see, &m};
	uint64_t start_ns = trace_reader__host(reader)->start_ns;
	int err = -ENOMEM;

	m.report = calloc(1, sizeof(*m.report));
	if (!m.report || row_order__create(ROW_IO, &m.order) ||
	    mrc__create(EXACT_BLOCKS, &m.misses))
		goto out;
	m.report->latency.rows = LATENCY_ROWS;
	m.report->latency_octave_rows = LATENCY_OCTAVE_ROWS;
	m.has_start = start_ns;
	m.is_part = part_ns;
	timeline_init(&m.report->timeline, start_ns, duration_ns);
	err = explain_trace_watched(reader, devices, device_count, part_ns, &watcher,
				    &m.report->explanation, read_err);
	if (!err)
		err = finish(&m);
out:
	row_order__free(m.order);
	mrc__free(m.misses);
	if (err)
		report__free(m.report);
	else
		*result = m.report;
	return err;
}

uint64_t report_duration_ns(struct trace_reader *reader)
{
	const struct trace_summary *summary;
	uint64_t start_ns = trace_reader__host(reader)->start_ns;
	struct row_block block;

	while (trace_reader__next(reader, 0, &block) > 0)
		;
	summary = trace_reader__summary(reader);
	return summary && summary->stop_ns > start_ns ? summary->stop_ns - start_ns : 0;
}

/* As cells_text() writes them: two numbers of seven bits a byte, three bytes as four letters. */
static uint64_t map_bytes(const struct heat_map *map)
{
	uint64_t bytes = 0;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		for (size_t i = 0; map->cells[op] && i < (size_t)TIMELINE_BINS * map->rows; i++)
			if (map->cells[op][i])
				bytes +=
					2 + (map->cells[op][i] > 127) + (map->cells[op][i] > 16383);
	return bytes * 4 / 3;
}

static uint64_t bytes_of(struct report *const *reports, unsigned int count)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < count; i++) {
		bytes += map_bytes(&reports[i]->latency);
		bytes += reports[i]->addresses ? map_bytes(&reports[i]->addresses->map) : 0;
	}
	return bytes;
}

static void halve_latency_rows(struct report *r)
{
	heat_map_double_rows(&r->latency, false);
	r->latency_octave_rows /= 2;
}

static void align(struct report *const *reports, unsigned int count)
{
	uint64_t widest_ns = 0;

	for (unsigned int i = 0; i < count; i++)
		if (reports[i]->timeline.width_ns > widest_ns)
			widest_ns = reports[i]->timeline.width_ns;
	for (unsigned int i = 0; i < count; i++)
		while (reports[i]->timeline.width_ns < widest_ns)
			double_bins(reports[i]);
}

void report_fit(struct report *const *reports, unsigned int count, uint64_t bytes)
{
	bool rows = true;

	align(reports, count);
	while (bytes_of(reports, count) > bytes && reports[0]->timeline.bins > 1) {
		rows &= reports[0]->latency_octave_rows > 2;
		for (unsigned int i = 0; i < count; i++) {
			if (rows)
				halve_latency_rows(reports[i]);
			else
				double_bins(reports[i]);
		}
		rows = !rows;
	}
}
