// SPDX-License-Identifier: MIT
#include "explain/figures/device_account.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "explain/figures/addresses.h"
#include "explain/figures/busy.h"
#include "explain/figures/labels.h"
#include "workload/figures/edges.h"
#include "workload/figures/recent_ends.h"

/* A commit of a journal or of metadata: small, and synced, flushed or marked by its origin. */
#define SMALL_WRITE_BYTES 16384u

/* An IO at the driver, and for whom. */
struct visit {
	uint32_t task, tgid, cgroup;
	char comm[sizeof(((struct trace_task *)0)->comm)];
	uint64_t issued_ns, completed_ns;
};

struct device_account {
	struct explain_device *device;
	/* The latest completion, and the latest of another application than that one's. */
	struct visit last, last_of_another;
	struct busy busy;
	uint64_t end_ns; /* of what is busy or at the driver */
	struct recent_ends ends[DIRECTION_COUNT];
	struct block_sample *direct_reads;
	uint64_t kernel_sectors[TICK_OP_COUNT];
	uint64_t hist_rows, measured_busy_ns, unmeasured_ticks;
	struct edges edges;
	struct peak_load *peaks;
};

struct device_account *device_account__new(uint32_t id, const struct trace_device *info,
					   uint64_t start_ns, uint64_t end_ns)
{
	struct device_account *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	busy_init(&a->busy);
	a->busy.start_ns = start_ns;
	a->end_ns = end_ns;
	a->device = calloc(1, sizeof(*a->device));
	a->peaks = peak_load__new();
	if (!a->device || !a->peaks) {
		device_account__free(a);
		return NULL;
	}
	a->device->id = id;
	if (info)
		a->device->info = *info;
	else
		snprintf(a->device->info.name, sizeof(a->device->info.name), "device-%u", id);
	return a;
}

void device_account__free(struct device_account *a)
{
	if (!a)
		return;
	busy_release(&a->busy);
	block_sample__free(a->direct_reads);
	peak_load__free(a->peaks);
	explain_device__free(a->device);
	free(a);
}

int explain_column(const struct io_row *row)
{
	return io_row_tick_op(row);
}

static bool span(uint64_t from_ns, uint64_t to_ns, uint64_t *length_ns)
{
	if (!from_ns || !to_ns || to_ns < from_ns)
		return false;
	*length_ns = to_ns - from_ns;
	return true;
}

/* A trace without creations has the issue at least; what a recording missed stays unknown. */
static uint64_t begin_ns(const struct io_row *row)
{
	if (row->created_ns || row->flags & (IO_STARTED_BEFORE | IO_EVENT_MISSED))
		return row->created_ns;
	return row->issued_ns;
}

bool explain_total_ns(const struct io_row *row, uint64_t *total_ns)
{
	return span(begin_ns(row), row->completed_ns, total_ns);
}

bool explain_queue_ns(const struct io_row *row, uint64_t *queue_ns)
{
	if (row->completed_ns && row->issued_ns > row->completed_ns)
		return false;
	return span(row->created_ns, row->issued_ns, queue_ns);
}

static int add_to(struct histogram **h, uint64_t value, uint64_t count)
{
	if (!*h) {
		*h = malloc(sizeof(**h));
		if (!*h)
			return -ENOMEM;
		histogram_init(*h);
	}
	histogram_add_many(*h, value, count);
	return 0;
}

/* How much of a time is before the recording, or after its part. */
static uint64_t outside_ns(const struct device_account *a, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t first_ns = from_ns > a->busy.start_ns ? from_ns : a->busy.start_ns;
	uint64_t last_ns = to_ns < a->end_ns ? to_ns : a->end_ns;

	return to_ns - from_ns - (last_ns > first_ns ? last_ns - first_ns : 0);
}

static int add_times(struct device_account *a, const struct io_row *row, int column)
{
	struct explain_device *d = a->device;
	struct explain_linked *linked = &d->linked;
	int linked_column = io_row_is_flush_request(row) ? TICK_FLUSH : column;
	uint64_t length_ns[LATENCY_PART_COUNT];
	struct histogram **by_part =
		io_row_is_flush_request(row) ? d->flush_request_latency : d->latency_by_op[column];
	bool known[LATENCY_PART_COUNT] = {
		explain_queue_ns(row, &length_ns[LATENCY_QUEUE]),
		span(row->issued_ns, row->completed_ns, &length_ns[LATENCY_DEVICE]),
		explain_total_ns(row, &length_ns[LATENCY_TOTAL]),
	};

	if (known[LATENCY_TOTAL] && row->issued_ns > row->completed_ns)
		known[LATENCY_QUEUE] = false;
	if (known[LATENCY_QUEUE] && row->bytes && row->flags & IO_PREFLUSH)
		d->preflush_ns += length_ns[LATENCY_QUEUE];
	if (!known[LATENCY_TOTAL])
		d->untimed_ios++;
	else if (!row->created_ns)
		d->timed_from_issue_ios++;
	if (known[LATENCY_DEVICE])
		d->outside_ns += outside_ns(a, row->issued_ns, row->completed_ns);
	for (int part = 0; part < LATENCY_PART_COUNT; part++) {
		if (!known[part])
			continue;
		d->latency_sum_ns[column][part] += length_ns[part];
		if (add_to(&by_part[part], length_ns[part], 1))
			return -ENOMEM;
		if (!row->parent_id)
			continue;
		linked->latency_ns[linked_column][part] += length_ns[part];
		if (add_to(&linked->latency[linked_column][part], length_ns[part], 1))
			return -ENOMEM;
	}
	if (!known[LATENCY_TOTAL])
		return 0;
	if (!io_row_is_flush_request(row) &&
	    add_to(&d->latency_by_size[column][explain_size_class(row->bytes)],
		   length_ns[LATENCY_TOTAL], 1))
		return -ENOMEM;
	d->in_queue_ns += length_ns[LATENCY_TOTAL];
	return busy_add(&a->busy, begin_ns(row), row->completed_ns);
}

/* Processes of one command in one cgroup are one application. */
static bool is_of_one_application(const struct visit *a, const struct visit *b)
{
	return a->task == b->task || a->tgid == b->tgid ||
	       (a->cgroup == b->cgroup && !strncmp(a->comm, b->comm, sizeof(a->comm)));
}

/*
 * Rows come nearly in the order of completion: an IO that was there with one of another application was there with the
 * latest of these. Whom a thread of the kernel works for is not known.
 */
static void add_visit(struct device_account *a, const struct io_row *row,
		      const struct trace_task *task)
{
	struct visit visit = {.task = row->task,
			      .cgroup = row->cgroup,
			      .issued_ns = row->issued_ns,
			      .completed_ns = row->completed_ns};
	const struct visit *other;
	uint64_t length_ns;
	bool is_same;

	if (!task || explain_is_kernel_thread(task) ||
	    !span(row->issued_ns, row->completed_ns, &length_ns))
		return;
	visit.tgid = task->tgid;
	memcpy(visit.comm, task->comm, sizeof(visit.comm));
	is_same = is_of_one_application(&a->last, &visit);
	other = is_same ? &a->last_of_another : &a->last;
	if (other->completed_ns > visit.issued_ns && other->issued_ns < visit.completed_ns)
		a->device->shared_ns += length_ns;
	if (!is_same)
		a->last_of_another = a->last;
	if (!is_same || visit.completed_ns > a->last.completed_ns)
		a->last = visit;
}

/* Not the log of a program that writes past the page cache, nor pages of a device that the kernel writes back. */
static bool is_of_journal(const struct io_row *row, const struct trace_task *task)
{
	if (row->origin == IO_ORIGIN_DIRECT)
		return false;
	if (row->flags & (IO_META | IO_FUA | IO_PREFLUSH))
		return true;
	return row->origin == IO_ORIGIN_BLOCKDEV && explain_is_kernel_thread(task) &&
	       strncmp(task->comm, "kworker/", 8) != 0;
}

static bool is_small_journal_write(const struct io_row *row, const struct trace_task *task)
{
	return row->op == IO_OP_WRITE && row->bytes && row->bytes <= SMALL_WRITE_BYTES &&
	       is_of_journal(row, task);
}

static int sample_direct_read(struct device_account *a, const struct io_row *row)
{
	if (!a->direct_reads)
		a->direct_reads = block_sample__new();
	if (!a->direct_reads)
		return -ENOMEM;
	block_sample__read(a->direct_reads, row->sector, row->bytes, &a->device->direct_read_blocks,
			   &a->device->direct_repeated_blocks);
	return 0;
}

static void add_origin(struct explain_origin *origin, const struct io_row *row)
{
	uint64_t total_ns;

	origin->ios++;
	origin->bytes += row->bytes;
	if (explain_total_ns(row, &total_ns))
		origin->latency_ns += total_ns;
}

/* Origin, address and size: for rows that carry data. */
static int add_data(struct device_account *a, const struct io_row *row,
		    const struct trace_task *task, int column)
{
	struct explain_device *d = a->device;
	enum explain_direction direction = column == TICK_READ ? DIRECTION_READ : DIRECTION_WRITE;
	struct explain_origin *origin =
		&d->origin[direction][row->origin < IO_ORIGIN_COUNT ? row->origin : 0];

	add_origin(origin, row);
	if (row->parent_id)
		add_origin(&d->linked.origin[direction][origin - d->origin[direction]], row);
	d->part_page_reads += direction == DIRECTION_READ && row->origin == IO_ORIGIN_FILE &&
			      row->bytes % PAGE_BYTES;
	if (!row->bytes)
		return 0;
	d->small_journal_writes += is_small_journal_write(row, task);
	if (direction == DIRECTION_READ && row->origin == IO_ORIGIN_DIRECT)
		return sample_direct_read(a, row);
	return 0;
}

void device_account__add_below(struct device_account *a, const struct io_row *row,
			       uint64_t below_ns)
{
	a->device->passed_on_ios++;
	a->device->passed_on_ns += row->completed_ns - row->created_ns;
	a->device->below_ns += below_ns;
}

int device_account__follow(struct device_account *a, const struct io_row *row)
{
	enum explain_direction direction =
		row->op == IO_OP_WRITE ? DIRECTION_WRITE : DIRECTION_READ;
	struct recent_ends *ends = &a->ends[direction];
	struct explain_device *d = a->device;
	int rank;

	if ((row->op != IO_OP_READ && row->op != IO_OP_WRITE) || !row->bytes)
		return 0;
	rank = recent_ends_rank(ends, row->sector);
	recent_ends_add(ends, rank, row->sector + row->bytes / SECTOR_BYTES, 0);
	d->data_ios[direction]++;
	d->sequential_ios[direction] += rank >= 0;
	if (direction == DIRECTION_READ && row->origin == IO_ORIGIN_FILE && !row->parent_id)
		d->sequential_file_reads += rank >= 0;
	return begin_ns(row) && begin_ns(row) >= a->busy.start_ns
		       ? peak_load__add(a->peaks, begin_ns(row), row->bytes)
		       : 0;
}

static void count(struct explain_counters *counters, const struct io_row *row)
{
	counters->ios++;
	counters->merges += row->merges;
	counters->bytes += row->bytes;
}

/* As blk_status_to_errno() of the kernel translates what a driver returns. */
static enum explain_error_kind kind_of_error(int32_t error)
{
	switch (-error) {
	case EOPNOTSUPP:
	case EAGAIN:
		return ERRORS_REFUSED;
	case ENOLINK:
	case ETIMEDOUT:
	case ENODEV:
		return ERRORS_OF_PATH;
	case ENOSPC:
	case EDQUOT:
		return ERRORS_OF_SPACE;
	default:
		return ERRORS_OF_DEVICE;
	}
}

static void count_error(struct explain_device *d, int32_t error)
{
	enum explain_error_kind kind = kind_of_error(error);

	if (!d->errors[kind]++)
		d->first_error[kind] = error;
}

int device_account__add_io(struct device_account *a, const struct io_row *row,
			   const struct trace_task *task)
{
	struct explain_device *d = a->device;
	int column = explain_column(row);
	int err;

	if (column < 0) {
		d->passthrough_ios++;
		return 0;
	}
	count(&d->counted[column], row);
	if (row->parent_id)
		count(&d->linked.counted[column], row);
	edges_add_io(&a->edges, row);
	if (row->completed_ns > d->last_completed_ns)
		d->last_completed_ns = row->completed_ns;
	d->started_before += !!(row->flags & IO_STARTED_BEFORE);
	d->linked_ios += !!row->parent_id;
	d->merges_cut_ios += !!(row->flags & IO_MERGES_CUT);
	d->kernel_flush_ios += !io_row_is_request(row);
	if (row->error)
		count_error(d, row->error);
	if (io_row_is_request(row)) {
		d->flush_requests += io_row_is_flush_request(row);
		d->flushes_requested += row->op == IO_OP_FLUSH || (row->flags & IO_PREFLUSH);
	}
	if (row->depth) {
		d->depth_sum += row->depth;
		d->depth_ios++;
		if (row->depth > d->depth_max)
			d->depth_max = row->depth;
	}
	if (column != TICK_FLUSH && !io_row_is_flush_request(row) &&
	    add_to(&d->size_bytes[column], row->bytes, 1))
		return -ENOMEM;
	add_visit(a, row, task);
	err = add_times(a, row, column);
	if (!err && (column == TICK_READ || column == TICK_WRITE))
		err = add_data(a, row, task, column);
	return err;
}

void device_account__add_tick(struct device_account *a, const struct tick_row *row)
{
	struct explain_device *d = a->device;

	for (int op = 0; op < TICK_OP_COUNT; op++) {
		d->kernel[op].ios += row->ios[op];
		d->kernel[op].merges += row->merges[op];
		d->kernel[op].ticks_ms += row->ticks_ms[op];
		a->kernel_sectors[op] += row->sectors[op];
	}
	edges_add_tick(&a->edges, row);
	d->tick_rows++;
	d->kernel_busy_ms += row->io_ticks_ms;
	d->kernel_in_queue_ms += row->in_queue_ms;
	if (row->measured & TICK_MEASURED_BUSY)
		a->measured_busy_ns += row->busy_ns;
	else
		a->unmeasured_ticks++;
	d->in_flight_at_last_tick = row->in_flight;
	d->last_tick_ns = row->time_ns;
}

int device_account__add_hist(struct device_account *a, const struct hist_row *row)
{
	static const int parts[] = {
		[HIST_TOTAL_NS] = LATENCY_TOTAL, [HIST_DEVICE_NS] = LATENCY_DEVICE};
	struct io_row like = {.op = row->op};
	uint64_t middle = row->high > row->low ? row->low + (row->high - row->low) / 2 : row->low;
	struct explain_device *d = a->device;
	int column = explain_column(&like);

	if (column < 0)
		return 0;
	a->hist_rows++;
	if (row->figure == HIST_BYTES)
		return add_to(&d->size_bytes[column], row->low, row->count);
	d->latency_sum_ns[column][parts[row->figure]] += middle * row->count;
	if (row->figure == HIST_TOTAL_NS)
		d->in_queue_ns += middle * row->count;
	return add_to(&d->latency_by_op[column][parts[row->figure]], middle, row->count);
}

/* Without rows of requests: the kernel's counters, and the busy time that was measured. */
static void take_counts(struct device_account *a)
{
	struct explain_device *d = a->device;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		if (d->counted[op].ios)
			return;
	for (int op = 0; op < TICK_OP_COUNT; op++)
		d->counted[op] = d->kernel[op];
	d->busy_ns = a->measured_busy_ns;
	d->busy_is_lower_bound = a->unmeasured_ticks;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Devices that work on bios and not on requests: a recording has only the kernel's counters. */
static bool is_counters_only(const struct explain_device *d)
{
	static const char *const prefixes[] = {"dm-", "md", "zram", "ram", "pmem", "drbd"};

	for (int op = 0; op < TICK_OP_COUNT; op++)
		if (d->counted[op].ios)
			return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(d->info.name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/*
 * Requests in flight at the first or last reading of the kernel's counters, or ending during it,
 * may be in one account only.
 */
static uint64_t edge_ios_of(const struct device_account *a)
{
	return a->device->started_before + a->device->in_flight_at_last_tick + edges_ios(&a->edges);
}

/* Except at these edges nothing may differ. Latency is not judged: the kernel cuts each interval's
 * sum to whole milliseconds. */
static enum explain_agreement agreement_of_requests(const struct device_account *a)
{
	const struct explain_device *d = a->device;
	uint64_t edge_ios = edge_ios_of(a);
	bool exact = true;

	for (int op = 0; op < TICK_OP_COUNT; op++) {
		const struct explain_counters *ours = &d->counted[op], *kernel = &d->kernel[op];

		if (apart(ours->ios, kernel->ios) > edge_ios)
			return AGREEMENT_DIFFERS;
		exact &= ours->ios == kernel->ios;
		if (op == TICK_FLUSH) /* the kernel counts neither their merges nor bytes */
			continue;
		if (!edge_ios && ours->bytes != kernel->bytes)
			return AGREEMENT_DIFFERS;
		if (!edge_ios && !d->merges_cut_ios && ours->merges != kernel->merges)
			return AGREEMENT_DIFFERS;
		exact &= ours->bytes == kernel->bytes;
		exact &= d->merges_cut_ios || ours->merges == kernel->merges;
	}
	return exact ? AGREEMENT_EXACT : AGREEMENT_EDGES;
}

/*
 * Devices without requests keep counters of their own, which are incomplete: zram counts no
 * discards, brd nothing, NVMe multipath heads the requests below. So the check is only whether rows
 * are missing.
 */
static enum explain_agreement agreement(const struct device_account *a)
{
	const struct explain_device *d = a->device;
	enum explain_agreement all = agreement_of_requests(a);
	uint64_t edge_ios = edge_ios_of(a);

	if (!d->info.bio_based || all != AGREEMENT_DIFFERS)
		return all;
	for (int op = 0; op < TICK_OP_COUNT; op++)
		if (d->kernel[op].ios > d->counted[op].ios + edge_ios)
			return AGREEMENT_DIFFERS;
	return AGREEMENT_UNKNOWN;
}

static int merge_into(struct histogram **sum, const struct histogram *h)
{
	if (!h)
		return 0;
	if (!*sum) {
		*sum = malloc(sizeof(**sum));
		if (!*sum)
			return -ENOMEM;
		histogram_init(*sum);
	}
	histogram_merge(*sum, h);
	return 0;
}

/* Latency over all operations, merged from each. */
static int merge_latency(struct explain_device *d)
{
	for (int part = 0; part < LATENCY_PART_COUNT; part++) {
		for (int op = 0; op < TICK_OP_COUNT; op++)
			if (merge_into(&d->latency[part], d->latency_by_op[op][part]))
				return -ENOMEM;
		if (merge_into(&d->latency[part], d->flush_request_latency[part]))
			return -ENOMEM;
	}
	return 0;
}

struct explain_device *device_account__finish(struct device_account *a, bool partial,
					      uint64_t stop_ns)
{
	struct explain_device *d = a->device;

	if (merge_latency(d)) {
		device_account__free(a);
		return NULL;
	}
	for (int op = 0; op < TICK_OP_COUNT; op++) {
		d->counted[op].ticks_ms = d->latency_sum_ns[op][LATENCY_TOTAL] / NSEC_PER_MSEC;
		d->kernel[op].bytes = a->kernel_sectors[op] * SECTOR_BYTES;
	}
	d->busy_ns = busy_total(&a->busy, stop_ns < a->end_ns ? stop_ns : a->end_ns);
	d->busy_is_lower_bound = a->busy.is_lower_bound;
	peak_load__finish(a->peaks, &d->peaks);
	if (a->hist_rows)
		take_counts(a);
	if (d->tick_rows && !partial && !is_counters_only(d))
		d->agreement = agreement(a);
	a->device = NULL;
	device_account__free(a);
	return d;
}
