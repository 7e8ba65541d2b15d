// SPDX-License-Identifier: MIT
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "profile/generate/generator.h"
#include "profile/operations/operations.h"
#include "workload/figures/measure.h"

#define TRIES	     8
#define SLOPE_MIN    0.05	/* of footprint over blocks, both logarithms, so that steps end */
#define NEAR	     0.01	/* so near that no further try is made */
#define EXACT_BLOCKS (1u << 17) /* beyond, a sample of the blocks tells */

/* The footprint and miss curve of what is generated. 0, -ENOMEM or -EINVAL. */
static int count(const struct profile *p, struct mrc_curve *curve)
{
	struct profile_generator *generator = NULL;
	struct workload_measure *measure = NULL;
	struct io_row row;
	int got = workload_measure__create_sampled(p->block_offset_sectors, EXACT_BLOCKS, &measure);

	if (!got)
		got = profile_generator__create(p, p->seed, &generator);
	while (!got && (got = profile_generator__next(generator, &row)) > 0)
		got = workload_measure__add(measure, &row);
	if (!got)
		*curve = workload_measure__finish(measure)->mrc;
	profile_generator__free(generator);
	workload_measure__free(measure);
	return got;
}

/* The miss ratio of a cache of so many blocks, between two points of the curve. */
static double miss_ratio(const struct mrc_curve *curve, double blocks)
{
	double from, to;
	unsigned int i = 0;

	while (i + 2 < MRC_POINTS && (double)mrc_point_blocks(i + 1) < blocks)
		i++;
	from = (double)mrc_point_blocks(i);
	to = (double)mrc_point_blocks(i + 1);
	if (blocks <= from)
		return curve->miss_ratio[i];
	return curve->miss_ratio[i] +
	       (curve->miss_ratio[i + 1] - curve->miss_ratio[i]) * (blocks - from) / (to - from);
}

/* The largest difference of two curves over caches from 1/64 of the own footprint to `share`. */
static double misses_apart(const struct mrc_curve *a, const struct mrc_curve *b, double share)
{
	double most = 0;

	for (double part = 1.0 / 64; part <= share; part *= 1.25)
		most = fmax(most, fabs(miss_ratio(a, part * (double)a->footprint_blocks) -
				       miss_ratio(b, part * (double)b->footprint_blocks)));
	return most;
}

/* The footprint of the last try, and the blocks of the next one. */
struct search {
	double blocks, last_blocks, last_reached;
};

/* The next step goes where the last two lead to, on logarithmic scales. */
static void step(struct search *s, double reached, double footprint)
{
	double slope = 1, blocks = s->blocks;

	if (s->last_blocks > 0 && s->last_blocks != blocks)
		slope = log(reached / s->last_reached) / log(blocks / s->last_blocks);
	slope = isnan(slope) ? 1 : fmin(fmax(slope, SLOPE_MIN), 1);
	s->blocks *= pow(footprint / reached, 1 / slope);
	s->last_blocks = blocks;
	s->last_reached = reached;
}

/* Tries to get nearer: *fit and *best are the nearest so far. */
static int try(const struct profile *p, double footprint, const struct mrc_curve *before,
	       struct search *search, struct profile *best, struct profile_fit *fit)
{
	struct profile *tried = malloc(sizeof(*tried));
	struct mrc_curve after;
	double reached;
	int err = -ENOMEM;

	if (!tried)
		return err;
	*tried = *p;
	profile__scale_blocks(tried, footprint, search->blocks);
	err = count(tried, &after);
	reached = (double)after.footprint_blocks / (double)before->footprint_blocks;
	if (!err && fabs(reached - footprint) < fabs(fit->footprint - footprint)) {
		*best = *tried;
		*fit = (struct profile_fit){reached, misses_apart(before, &after, 0.5)};
	}
	step(search, reached, footprint);
	free(tried);
	return err;
}

int profile__fit_footprint(struct profile *p, const struct profile_scale *scale,
			   struct profile_fit *fit)
{
	struct profile_scale others = *scale;
	struct mrc_curve before;
	struct search search = {.blocks = scale->footprint};
	struct profile *whole;
	int err;

	others.footprint = 1;
	profile__scale(p, &others);
	if (p->ios > PROFILE_FIT_IOS_MAX) {
		profile__scale_blocks(p, scale->footprint, scale->footprint);
		return -ERANGE;
	}
	err = count(p, &before);
	if (err || !before.footprint_blocks)
		return err ? err : -ENODATA;
	whole = malloc(sizeof(*whole));
	if (!whole)
		return -ENOMEM;
	*whole = *p;
	*fit = (struct profile_fit){.footprint = INFINITY};
	for (unsigned int i = 0; i < TRIES && !err; i++) {
		err = try(whole, scale->footprint, &before, &search, p, fit);
		if (fabs(fit->footprint / scale->footprint - 1) <= NEAR)
			break;
	}
	free(whole);
	return err;
}
