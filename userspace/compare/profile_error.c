// SPDX-License-Identifier: MIT
#include "compare/profile_error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/progress.h"
#include "compare/comparison.h"
#include "profile/closed_loop/closed_loop.h"
#include "profile/generate/file_generator.h"
#include "profile/file_ops.h"
#include "profile/build/file_source.h"

#define COUNTED_TOGETHER 4096u

_Static_assert((int)FIGURE_COUNT == PROFILE_FIGURES, "[error] has the figures of compare");
_Static_assert((int)LOCAL_FIGURES == PROFILE_LOCAL_FIGURES, "and those of parts");
_Static_assert((int)CLOSED_FIGURES == PROFILE_CLOSED_FIGURES, "and those of the closed loop");

/* Generated IOs, for progress. */
static void count_one(void)
{
	static uint32_t counted;

	if (++counted % COUNTED_TOGETHER == 0)
		progress_add(COUNTED_TOGETHER);
}

int profile_error_add_access(struct workload_measure *measure, const struct io_row *request)
{
	struct io_row row = *request;

	if (file_op_is_direct(file_op_of_io(row.op, row.flags)))
		row.op = IO_OP_PASSTHROUGH;
	return workload_measure__add(measure, &row);
}

static int measure_files(const struct profile *p, uint64_t seed, struct workload_measure *measure)
{
	struct file_requests *requests = calloc(1, sizeof(*requests));
	struct file_generator *generator = NULL;
	struct file_layout layout;
	struct access_row access;
	struct io_row row;
	bool continues;
	int err = requests ? file_generator__create(p, seed, &generator) : -ENOMEM;

	if (!err && p->ios)
		err = file_layout_init(&layout, &p->files);
	while (!err) {
		err = file_generator__next(generator, &access);
		if (err <= 0)
			break;
		file_requests_make(requests, &layout, &access, access.file, &row, &continues);
		err = profile_error_add_access(measure, &row);
		count_one();
	}
	file_generator__free(generator);
	free(requests);
	return err;
}

/* Measures of the generated IOs, as the trace was measured. */
struct generated {
	struct closed_loop *loop;
	struct workload_measure *measure;
	struct waits *waits; /* NULL: the profile has no closed loop */
	struct closed_measure *closed;
	struct local_measure *local; /* NULL: not asked for */
};

static int add_row(struct generated *g, const struct closed_row *row)
{
	const struct trace_task task = {.kernel_thread = row->kernel};
	struct io_wait waited;
	int err = workload_measure__add(g->measure, &row->row), known;

	count_one();
	if (!err && g->local)
		err = local_measure__add(g->local, &row->row);
	if (err || !g->waits)
		return err;
	known = waits__add(g->waits, &row->row, &task, &waited);
	if (known > 0)
		closed_measure__add(g->closed, &row->row, waited.dependent,
				    waited.has_think ? waited.think_ns : UINT64_MAX);
	return known < 0 ? known : 0;
}

static int generate_requests(struct generated *g, const struct profile *p, uint64_t seed)
{
	struct closed_row row;
	int got, err = closed_loop__create(p, seed, 0, &g->loop);

	if (!err && p->closed.kind_count)
		err = waits__create(0, &g->waits);
	if (!err && p->closed.kind_count)
		err = closed_measure__create(&g->closed);
	while (!err && (got = closed_loop__next(g->loop, &row)) != 0)
		err = got < 0 ? got : add_row(g, &row);
	return err;
}

int profile_error_create_local(const struct profile_extent *extent, struct local_measure **local)
{
	struct local_extent e = {.duration_ns = extent->duration_ns,
				 .first_sector = extent->first_sector,
				 .end_sector = extent->end_sector,
				 .block_offset_sectors = extent->block_offset_sectors,
				 .exact_blocks = PROFILE_MEASURE_BLOCKS};

	return local_measure__create(&e, local);
}

static int generate(struct generated *g, const struct profile *p, bool with_local, uint64_t seed)
{
	struct profile_extent extent = {.duration_ns = p->duration_ns,
					.first_sector = p->first_sector,
					.end_sector = p->end_sector,
					.block_offset_sectors = p->block_offset_sectors};
	int err = workload_measure__create_sampled(p->block_offset_sectors, PROFILE_MEASURE_BLOCKS,
						   &g->measure);

	if (!err && with_local)
		err = profile_error_create_local(&extent, &g->local);
	if (err)
		return err;
	return p->level == PROFILE_OF_FILES ? measure_files(p, seed, g->measure)
					    : generate_requests(g, p, seed);
}

static int measure_seed(const struct profile *p, const struct profile_error_trace *trace,
			uint64_t seed, double *figures)
{
	struct generated g = {0};
	struct comparison comparison;
	int err = generate(&g, p, trace->local, seed);

	for (unsigned int i = FIGURE_COUNT; i < PROFILE_ALL_FIGURES; i++)
		figures[i] = NAN;
	if (!err) {
		compare_with_profile(trace->figures, workload_measure__finish(g.measure),
				     &comparison);
		for (unsigned int i = 0; i < FIGURE_COUNT; i++)
			figures[i] = comparison.figures[i];
	}
	if (!err && g.closed && trace->closed)
		closed_measure__compare(trace->closed, g.closed, figures + PROFILE_FIRST_CLOSED);
	if (!err && g.local)
		local_measure__compare(trace->local, g.local, figures + FIGURE_COUNT);
	closed_loop__free(g.loop);
	workload_measure__free(g.measure);
	waits__free(g.waits);
	closed_measure__free(g.closed);
	local_measure__free(g.local);
	return err;
}

/* Distance from "the same"; half and twice as much are equally far. */
static double off(unsigned int figure, double value)
{
	bool is_ratio = figure < FIGURE_COUNT
				? figure_info(figure)->is_ratio
				: figure < PROFILE_FIRST_CLOSED &&
					  local_figure_is_ratio(figure - FIGURE_COUNT);

	if (!is_ratio)
		return fabs(value);
	return value > 0 ? fabs(log(value)) : HUGE_VAL;
}

static int by_value(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

static void sum_up(double *values, unsigned int seeds, unsigned int figure, double *median,
		   double *worst)
{
	qsort(values, seeds, sizeof(*values), by_value);
	*median = values[(seeds - 1) / 2];
	*worst = off(figure, values[0]) > off(figure, values[seeds - 1]) ? values[0]
									 : values[seeds - 1];
	for (unsigned int i = 0; i < seeds; i++)
		if (isnan(values[i]))
			*median = *worst = NAN;
}

int profile_error_measure(const struct profile *p, const struct profile_error_trace *trace,
			  unsigned int seeds, struct profile_error *error)
{
	static double figures[PROFILE_SEEDS_MAX][PROFILE_ALL_FIGURES];
	double values[PROFILE_SEEDS_MAX];
	int err = 0;

	for (unsigned int s = 0; s < seeds && !err; s++)
		err = measure_seed(p, trace, p->seed + s, figures[s]);
	if (err)
		return err;
	error->seeds = seeds;
	for (unsigned int i = 0; i < PROFILE_ALL_FIGURES && seeds; i++) {
		for (unsigned int s = 0; s < seeds; s++)
			values[s] = figures[s][i];
		sum_up(values, seeds, i, &error->median[i], &error->worst[i]);
	}
	return 0;
}
