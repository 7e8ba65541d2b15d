#include "cmd_profile_error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "compare/comparison.h"
#include "profile/file_generator.h"
#include "profile/file_ops.h"
#include "profile/file_source.h"
#include "profile/generator.h"

_Static_assert((int)FIGURE_COUNT == PROFILE_FIGURES, "[error] has the figures of compare");

int cmd_profile_measure_file(struct workload_measure *measure, const struct io_row *request)
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
		err = cmd_profile_measure_file(measure, &row);
	}
	file_generator__free(generator);
	free(requests);
	return err;
}

static int measure_requests(const struct profile *p, uint64_t seed,
			    struct workload_measure *measure)
{
	struct profile_generator *generator = NULL;
	struct io_row row;
	int err = profile_generator__create(p, seed, &generator);

	while (!err) {
		err = profile_generator__next(generator, &row);
		if (err <= 0)
			break;
		err = workload_measure__add(measure, &row);
	}
	profile_generator__free(generator);
	return err;
}

static int measure_seed(const struct profile *p, const struct workload_figures *trace,
			uint64_t seed, double *figures)
{
	struct workload_measure *measure = NULL;
	struct comparison comparison;
	int err = workload_measure__create_sampled(p->block_offset_sectors, PROFILE_MEASURE_BLOCKS,
						   &measure);

	if (!err)
		err = p->level == PROFILE_OF_FILES ? measure_files(p, seed, measure)
						   : measure_requests(p, seed, measure);
	if (!err) {
		compare_workloads(trace, workload_measure__finish(measure), &comparison);
		for (unsigned int i = 0; i < FIGURE_COUNT; i++)
			figures[i] = comparison.figures[i];
	}
	workload_measure__free(measure);
	return err;
}

/* How far from "the same", so that half and twice as much are equally far. */
static double off(enum workload_figure figure, double value)
{
	if (!figure_info(figure)->is_ratio)
		return fabs(value);
	return value > 0 ? fabs(log(value)) : HUGE_VAL;
}

static int by_value(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

static void sum_up(double *values, unsigned int seeds, enum workload_figure figure,
		   struct profile_error *error)
{
	qsort(values, seeds, sizeof(*values), by_value);
	error->median[figure] = values[(seeds - 1) / 2];
	error->worst[figure] = off(figure, values[0]) > off(figure, values[seeds - 1])
				       ? values[0]
				       : values[seeds - 1];
	for (unsigned int i = 0; i < seeds; i++)
		if (isnan(values[i]))
			error->median[figure] = error->worst[figure] = NAN;
}

int cmd_profile_error_measure(const struct profile *p, const struct workload_figures *trace,
			      unsigned int seeds, struct profile_error *error)
{
	static double figures[PROFILE_SEEDS_MAX][FIGURE_COUNT];
	double values[PROFILE_SEEDS_MAX];
	int err = 0;

	for (unsigned int s = 0; s < seeds && !err; s++)
		err = measure_seed(p, trace, p->seed + s, figures[s]);
	if (err)
		return err;
	error->seeds = seeds;
	for (unsigned int i = 0; i < FIGURE_COUNT && seeds; i++) {
		for (unsigned int s = 0; s < seeds; s++)
			values[s] = figures[s][i];
		sum_up(values, seeds, i, error);
	}
	return 0;
}
