// SPDX-License-Identifier: MIT
#include "workload/figures/measure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/units.h"
#include "workload/figures/busiest.h"
#include "workload/figures/depth_counter.h"
#include "workload/figures/recent_ends.h"

/* Counts of one scale. Windows begin at the first request; only whole ones count. */
struct window_counter {
	uint64_t at;	/* index of the current window */
	uint64_t ios;	/* in it */
	double squares; /* of the counts of all earlier windows */
	double sum;
	uint64_t peak_ios;
};

struct workload_measure {
	struct workload_figures figures;
	unsigned int block_offset_sectors;
	struct mrc *mrc;
	struct recent_ends ends[2]; /* read, write */
	struct window_counter counters[WINDOW_SCALES];
	uint64_t first_ns, last_ns;
	struct busiest busy;
	struct depth_counter *in_flight[2]; /* of reads, of writes; NULL: not counted */
};

static const struct {
	uint64_t ns;
	const char *name;
} scales[WINDOW_SCALES] = {
	[WINDOW_10MS] = {10 * NSEC_PER_MSEC, "10ms"},
	[WINDOW_1S] = {NSEC_PER_SEC, "1s"},
	[WINDOW_60S] = {60 * NSEC_PER_SEC, "60s"},
};

const char *window_scale_name(enum window_scale scale)
{
	return scales[scale].name;
}

static void latency_init(struct latency_figures *l)
{
	histogram_init(&l->total);
	histogram_init(&l->queue);
	histogram_init(&l->device);
}

int workload_measure__create(unsigned int block_offset_sectors, struct workload_measure **measure)
{
	int err = workload_measure__create_sampled(block_offset_sectors, MRC_EXACT_BLOCKS, measure);

	for (unsigned int i = 0; i < 2 && !err; i++)
		err = depth_counter__create(&(*measure)->in_flight[i]);
	if (err) {
		workload_measure__free(*measure);
		*measure = NULL;
	}
	return err;
}

int workload_measure__create_sampled(unsigned int block_offset_sectors, uint32_t exact_blocks,
				     struct workload_measure **measure)
{
	struct workload_measure *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->block_offset_sectors = block_offset_sectors;
	histogram_init(&m->figures.gaps);
	latency_init(&m->figures.read);
	latency_init(&m->figures.write);
	if (mrc__create(exact_blocks, &m->mrc)) {
		free(m);
		return -ENOMEM;
	}
	*measure = m;
	return 0;
}

void workload_measure__free(struct workload_measure *m)
{
	if (!m)
		return;
	size_table_release(&m->figures.sizes);
	mrc__free(m->mrc);
	depth_counter__free(m->in_flight[0]);
	depth_counter__free(m->in_flight[1]);
	free(m);
}

bool workload_blocks(const struct io_row *row, unsigned int block_offset_sectors, uint64_t *first,
		     uint64_t *count)
{
	uint64_t sector = row->sector + BLOCK_SECTORS - block_offset_sectors, last;

	if ((row->op != IO_OP_READ && row->op != IO_OP_WRITE) || !row->bytes)
		return false;
	if (row->sector >= UINT64_MAX / 4 || row->bytes >= UINT64_MAX / 4)
		return false;
	last = sector + (row->bytes + SECTOR_BYTES - 1) / SECTOR_BYTES - 1;
	*first = sector / BLOCK_SECTORS;
	*count = last / BLOCK_SECTORS - *first + 1;
	if (*count > BLOCKS_PER_IO_MAX)
		*count = BLOCKS_PER_IO_MAX;
	return true;
}

static void count_windows(struct window_counter *c, uint64_t window)
{
	if (window != c->at) {
		c->squares += (double)c->ios * (double)c->ios;
		c->sum += (double)c->ios;
		c->ios = 0;
		c->at = window;
	}
	c->ios++;
	if (c->ios > c->peak_ios)
		c->peak_ios = c->ios;
}

static void add_time(struct workload_measure *m, uint64_t created_ns)
{
	if (!m->figures.ios)
		m->first_ns = created_ns;
	else
		histogram_add(&m->figures.gaps,
			      created_ns > m->last_ns ? created_ns - m->last_ns : 0);
	if (created_ns > m->last_ns || !m->figures.ios)
		m->last_ns = created_ns;
	for (unsigned int s = 0; s < WINDOW_SCALES; s++)
		count_windows(&m->counters[s], (m->last_ns - m->first_ns) / scales[s].ns);
}

static void add_depth(struct latency_figures *l, uint32_t depth, uint64_t device_ns)
{
	unsigned int class = 0;

	if (!depth)
		return;
	while (class < DEPTH_CLASSES - 1 && depth >> (class + 1))
		class ++;
	l->by_depth[class].ios++;
	l->by_depth[class].log_ns += log(device_ns ? (double)device_ns : 1);
}

static void add_latency(struct latency_figures *l, struct depth_counter *in_flight,
			const struct io_row *row)
{
	uint32_t depth;

	if (!row->completed_ns || row->completed_ns < row->created_ns)
		return;
	if (in_flight) {
		depth = depth_counter__add(in_flight, row->created_ns, row->completed_ns);
		l->in_flight_max = depth > l->in_flight_max ? depth : l->in_flight_max;
	}
	histogram_add(&l->total, row->completed_ns - row->created_ns);
	/* The first IO of a trace is created at 0: it needs an issue time of its own. */
	if (!row->issued_ns || row->issued_ns < row->created_ns ||
	    row->issued_ns > row->completed_ns)
		return;
	histogram_add(&l->queue, row->issued_ns - row->created_ns);
	histogram_add(&l->device, row->completed_ns - row->issued_ns);
	add_depth(l, row->depth, row->completed_ns - row->issued_ns);
}

static int add_addresses(struct workload_measure *m, const struct io_row *row)
{
	struct recent_ends *ends = &m->ends[row->op == IO_OP_WRITE];
	uint64_t first, count;
	int rank, err;

	if (!workload_blocks(row, m->block_offset_sectors, &first, &count))
		return 0;
	rank = recent_ends_rank(ends, row->sector);
	recent_ends_follow(ends, rank, row->sector, row->bytes, 0);
	m->figures.data_ios++;
	m->figures.sequential_ios += rank >= 0;
	err = size_table_add(&m->figures.sizes, row->bytes, 1);
	for (uint64_t i = 0; i < count && !err; i++)
		err = mrc__touch(m->mrc, first + i);
	return err;
}

/* Others only name a range: a discard of 1 GiB moves nothing. */
static uint64_t moved_bytes(const struct io_row *row)
{
	switch (row->op) {
	case IO_OP_READ:
	case IO_OP_WRITE:
	case IO_OP_ZONE_APPEND:
	case IO_OP_PASSTHROUGH:
		return row->bytes;
	default:
		return 0;
	}
}

int workload_measure__add(struct workload_measure *m, const struct io_row *row)
{
	struct workload_figures *f = &m->figures;

	if (!io_row_is_request(row) || row->op >= IO_OP_COUNT)
		return 0;
	add_time(m, row->created_ns);
	busiest_add(&m->busy, m->last_ns - m->first_ns, row->op == IO_OP_READ, moved_bytes(row));
	f->ios++;
	f->bytes += moved_bytes(row);
	f->op_ios[row->op]++;
	f->fua_ios += !!(row->flags & IO_FUA);
	f->preflush_ios += !!(row->flags & IO_PREFLUSH);
	if (row->op == IO_OP_READ)
		add_latency(&f->read, m->in_flight[0], row);
	else if (row->op == IO_OP_WRITE && row->bytes)
		add_latency(&f->write, m->in_flight[1], row);
	return add_addresses(m, row);
}

/* The last window is whole only if the duration reaches its end. */
static double dispersion(const struct window_counter *c, uint64_t whole)
{
	double squares = c->squares, sum = c->sum, mean;

	if (whole < 2)
		return NAN;
	if (c->at < whole) {
		squares += (double)c->ios * (double)c->ios;
		sum += (double)c->ios;
	}
	mean = sum / (double)whole;
	return mean > 0 ? (squares / (double)whole - mean * mean) / mean : NAN;
}

void workload_measure__set_flush_machinery(struct workload_measure *m, uint64_t ios)
{
	m->figures.flush_machinery_ios = ios;
}

void workload_measure__set_follows_device(struct workload_measure *m)
{
	m->figures.follows_device = true;
}

void workload_measure__set_generated(struct workload_measure *m)
{
	m->figures.is_generated = true;
}

void workload_measure__set_resolution(struct workload_measure *m, uint64_t resolution_ns)
{
	m->figures.resolution_ns = resolution_ns;
}

const struct workload_figures *workload_measure__finish(struct workload_measure *m)
{
	struct workload_figures *f = &m->figures;

	f->duration_ns = m->last_ns - m->first_ns;
	for (unsigned int s = 0; s < WINDOW_SCALES; s++) {
		f->windows[s] = f->duration_ns / scales[s].ns;
		f->idc[s] = dispersion(&m->counters[s], f->windows[s]);
	}
	f->busy_reads_pct = busiest_reads_pct(&m->busy);
	f->bytes_idc_1s = busiest_bytes_idc(&m->busy, f->windows[WINDOW_1S]);
	f->bytes_idc_ios = f->bytes ? (double)f->bytes / busiest_io_bytes(&m->busy) : 0;
	f->peak_10ms_ios = m->counters[WINDOW_10MS].peak_ios;
	mrc__curve(m->mrc, &f->mrc);
	return f;
}
