#include "cmd_profile_error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "compare/comparison.h"
#include "profile/generator.h"

_Static_assert((int)FIGURE_COUNT == PROFILE_FIGURES, "[error] has the figures of compare");

static int measure_seed(const struct profile *p, const struct workload_figures *trace,
			uint64_t seed, double *figures)
{
	struct profile_generator *generator = NULL;
	struct workload_measure *measure = NULL;
	struct comparison comparison;
	struct io_row row;
	int err = workload_measure__create_sampled(p->block_offset_sectors, PROFILE_MEASURE_BLOCKS,
						   &measure);

	if (!err)
		err = profile_generator__create(p, seed, &generator);
	while (!err) {
		err = profile_generator__next(generator, &row);
		if (err <= 0)
			break;
		err = workload_measure__add(measure, &row);
	}
	if (!err) {
		compare_workloads(trace, workload_measure__finish(measure), &comparison);
		for (unsigned int i = 0; i < FIGURE_COUNT; i++)
			figures[i] = comparison.figures[i];
	}
	profile_generator__free(generator);
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
