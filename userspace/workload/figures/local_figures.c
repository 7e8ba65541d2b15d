// SPDX-License-Identifier: MIT
#include "workload/figures/local_figures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/histogram.h"
#include "workload/figures/measure.h"
#include "workload/figures/mrc.h"
#include "workload/figures/run_lengths.h"
#include "workload/figures/size_table.h"

#define EIGHTHS 8
#define ZONES	64

struct part {
	struct size_table sizes;
	struct mrc_curve curve;
};

struct local_measure {
	struct local_extent extent;
	uint64_t first_ns, ios;
	unsigned int eighth;	       /* whose blocks `blocks` follows */
	struct mrc *blocks, *by_op[2]; /* write, read */
	struct part parts[EIGHTHS];
	struct mrc_curve op_curves[2];
	uint64_t op_ios[2];
	struct run_lengths runs[2];
	struct histogram lengths;
	uint64_t zones[ZONES];
};

static const struct {
	const char *name, *label;
	double limit;
	bool is_ratio;
} infos[LOCAL_FIGURES] = {
	[LOCAL_EIGHTH_SIZE_TVD] = {"eighth_size_tvd", "eighth: sizes", 0.05, false},
	[LOCAL_EIGHTH_FOOTPRINT_RATIO] = {"eighth_footprint_ratio", "eighth: footprint", 1.15,
					  true},
	[LOCAL_EIGHTH_MRC_MAE] = {"eighth_mrc_mae", "eighth: misses", 0.03, false},
	[LOCAL_READ_MRC_MAE] = {"read_mrc_mae", "reads: misses", 0.02, false},
	[LOCAL_WRITE_MRC_MAE] = {"write_mrc_mae", "writes: misses", 0.02, false},
	[LOCAL_READ_FOOTPRINT_RATIO] = {"read_footprint_ratio", "reads: footprint", 1.1, true},
	[LOCAL_WRITE_FOOTPRINT_RATIO] = {"write_footprint_ratio", "writes: footprint", 1.1, true},
	[LOCAL_RUN_KS] = {"run_ks", "lengths of runs", 0.1, false},
	[LOCAL_ZONES_TVD] = {"zones_tvd", "zones", 0.1, false},
};

static int create_mrc(struct local_measure *m, struct mrc **mrc)
{
	return mrc__create(m->extent.exact_blocks, mrc);
}

int local_measure__create(const struct local_extent *extent, struct local_measure **measure)
{
	struct local_measure *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	m->extent = *extent;
	histogram_init(&m->lengths);
	err = create_mrc(m, &m->blocks);
	for (unsigned int i = 0; i < 2 && !err; i++)
		err = create_mrc(m, &m->by_op[i]);
	if (err) {
		local_measure__free(m);
		return err;
	}
	*measure = m;
	return 0;
}

void local_measure__free(struct local_measure *m)
{
	if (!m)
		return;
	mrc__free(m->blocks);
	for (unsigned int i = 0; i < 2; i++)
		mrc__free(m->by_op[i]);
	for (unsigned int i = 0; i < EIGHTHS; i++)
		size_table_release(&m->parts[i].sizes);
	free(m);
}

static unsigned int eighth_of(const struct local_measure *m, uint64_t created_ns)
{
	uint64_t at = created_ns > m->first_ns ? created_ns - m->first_ns : 0;
	double part = EIGHTHS * (double)at / ((double)m->extent.duration_ns + 1);

	return part < EIGHTHS ? (unsigned int)part : EIGHTHS - 1;
}

/* Each eighth begins with an empty cache. */
static int begin_eighth(struct local_measure *m, unsigned int eighth)
{
	struct mrc *fresh = NULL;
	int err;

	if (eighth <= m->eighth)
		return 0;
	err = create_mrc(m, &fresh);
	if (err)
		return err;
	mrc__curve(m->blocks, &m->parts[m->eighth].curve);
	mrc__free(m->blocks);
	m->blocks = fresh;
	m->eighth = eighth;
	return 0;
}

static unsigned int zone_of(const struct local_extent *e, uint64_t sector)
{
	uint64_t range = e->end_sector > e->first_sector ? e->end_sector - e->first_sector : 1,
		 at = sector > e->first_sector ? sector - e->first_sector : 0;

	return at < range ? (unsigned int)(ZONES * (double)at / (double)range) : ZONES - 1;
}

int local_measure__add(struct local_measure *m, const struct io_row *row)
{
	unsigned int is_read = row->op == IO_OP_READ;
	uint64_t first, count;
	int err;

	if (!io_row_is_request(row))
		return 0;
	if (!m->ios++)
		m->first_ns = row->created_ns;
	if (!workload_blocks(row, m->extent.block_offset_sectors, &first, &count))
		return 0;
	m->op_ios[is_read]++;
	m->zones[zone_of(&m->extent, row->sector)]++;
	run_lengths_add(&m->runs[is_read], row->sector, row->bytes, &m->lengths);
	err = begin_eighth(m, eighth_of(m, row->created_ns));
	if (!err)
		err = size_table_add(&m->parts[m->eighth].sizes, row->bytes, 1);
	for (uint64_t i = 0; i < count && !err; i++) {
		err = mrc__touch(m->blocks, first + i);
		if (!err)
			err = mrc__touch(m->by_op[is_read], first + i);
	}
	return err;
}

static void finish(struct local_measure *m)
{
	mrc__curve(m->blocks, &m->parts[m->eighth].curve);
	for (unsigned int i = 0; i < 2; i++) {
		mrc__curve(m->by_op[i], &m->op_curves[i]);
		run_lengths_end(&m->runs[i], &m->lengths);
	}
}

static double footprint_ratio(const struct mrc_curve *a, const struct mrc_curve *b)
{
	if (!a->footprint_blocks)
		return NAN;
	/* One block at least: a part without an IO is off, by a number. */
	return fmax((double)b->footprint_blocks, 1) / (double)a->footprint_blocks;
}

static void keep_worse(double *worst, double value, bool is_ratio)
{
	if (isnan(*worst) || (is_ratio ? fabs(log(value)) > fabs(log(*worst)) : value > *worst))
		*worst = value;
}

static void compare_eighths(const struct local_measure *a, const struct local_measure *b,
			    double figures[LOCAL_FIGURES])
{
	for (unsigned int i = 0; i < EIGHTHS; i++) {
		const struct part *of_a = &a->parts[i], *of_b = &b->parts[i];

		if (of_a->sizes.ios < LOCAL_IOS_MIN)
			continue;
		keep_worse(&figures[LOCAL_EIGHTH_SIZE_TVD],
			   size_table_distance(&of_a->sizes, &of_b->sizes), false);
		keep_worse(&figures[LOCAL_EIGHTH_FOOTPRINT_RATIO],
			   footprint_ratio(&of_a->curve, &of_b->curve), true);
		keep_worse(&figures[LOCAL_EIGHTH_MRC_MAE],
			   mrc_curve_distance(&of_a->curve, &of_b->curve), false);
	}
}

static double zones_distance(const struct local_measure *a, const struct local_measure *b)
{
	double sum = 0, of_a = (double)(a->op_ios[0] + a->op_ios[1]),
	       of_b = (double)(b->op_ios[0] + b->op_ios[1]);

	for (unsigned int i = 0; i < ZONES; i++)
		sum += fabs((double)a->zones[i] / of_a - (double)b->zones[i] / of_b);
	return sum / 2;
}

void local_measure__compare(struct local_measure *a, struct local_measure *b,
			    double figures[LOCAL_FIGURES])
{
	for (unsigned int i = 0; i < LOCAL_FIGURES; i++)
		figures[i] = NAN;
	finish(a);
	finish(b);
	compare_eighths(a, b, figures);
	for (unsigned int is_read = 0; is_read < 2; is_read++) {
		if (a->op_ios[is_read] < LOCAL_IOS_MIN)
			continue;
		figures[is_read ? LOCAL_READ_MRC_MAE : LOCAL_WRITE_MRC_MAE] =
			mrc_curve_distance(&a->op_curves[is_read], &b->op_curves[is_read]);
		figures[is_read ? LOCAL_READ_FOOTPRINT_RATIO : LOCAL_WRITE_FOOTPRINT_RATIO] =
			footprint_ratio(&a->op_curves[is_read], &b->op_curves[is_read]);
	}
	if (a->lengths.count < LOCAL_IOS_MIN || !b->lengths.count)
		return;
	figures[LOCAL_RUN_KS] = histogram_ks(&a->lengths, &b->lengths);
	figures[LOCAL_ZONES_TVD] = zones_distance(a, b);
}

const char *local_figure_name(enum local_figure figure)
{
	return infos[figure].name;
}

const char *local_figure_label(enum local_figure figure)
{
	return infos[figure].label;
}

double local_figure_limit(enum local_figure figure)
{
	return infos[figure].limit;
}

bool local_figure_is_ratio(enum local_figure figure)
{
	return infos[figure].is_ratio;
}
