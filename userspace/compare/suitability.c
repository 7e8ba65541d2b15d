// SPDX-License-Identifier: MIT
#include "compare/suitability.h"

#include <math.h>
#include <stdbool.h>

#include "compare/figures.h"
#include "workload/figures/closed_figures.h"
#include "workload/figures/local_figures.h"

#define LOCAL(figure)  (PROFILE_FIGURES + LOCAL_##figure)
#define CLOSED(figure) (PROFILE_FIRST_CLOSED + CLOSED_##figure)

/* A limit of a ratio is a factor; of others the absolute value. */
static const struct {
	enum suitability_use use;
	unsigned int figure;
	double limit; /* 0: local_figure_limit() */
} limits[] = {
	{USE_BURSTS, FIGURE_GAP_KS, 0.05},
	{USE_BURSTS, FIGURE_IDC_RATIO_10MS, 1.15},
	{USE_BURSTS, FIGURE_IDC_RATIO_1S, 1.15},
	{USE_BURSTS, FIGURE_PEAK_10MS_RATIO, 1.2},
	{USE_SIZES, FIGURE_SIZE_TVD, 0.02},
	{USE_SIZES, FIGURE_BYTES_RATIO, 1.02},
	{USE_SIZES, FIGURE_BYTES_IDC_RATIO, 1.25},
	{USE_CACHE, FIGURE_MRC_MAE, 0.02},
	{USE_CACHE, FIGURE_FOOTPRINT_RATIO, 1.05},
	{USE_CACHE_OF_ONE_OP, LOCAL(READ_MRC_MAE), 0},
	{USE_CACHE_OF_ONE_OP, LOCAL(WRITE_MRC_MAE), 0},
	{USE_CACHE_OF_ONE_OP, LOCAL(READ_FOOTPRINT_RATIO), 0},
	{USE_CACHE_OF_ONE_OP, LOCAL(WRITE_FOOTPRINT_RATIO), 0},
	{USE_PARTS, LOCAL(EIGHTH_SIZE_TVD), 0},
	{USE_PARTS, LOCAL(EIGHTH_FOOTPRINT_RATIO), 0},
	{USE_PARTS, LOCAL(EIGHTH_MRC_MAE), 0},
	{USE_SEEKS, LOCAL(RUN_KS), 0},
	{USE_SEEKS, LOCAL(ZONES_TVD), 0},
	{USE_DEPENDENT, CLOSED(DEPENDENT_DELTA_PP), 5},
	{USE_DEPENDENT, CLOSED(DEPTH_KS), 0.1},
	{USE_DEPENDENT, CLOSED(THINK_SHIFT), 0.2},
	{USE_DEPENDENT, CLOSED(LATENCY_SHIFT), 0.2},
};

static const struct {
	const char *name, *text;
} uses[USES] = {
	[USE_BURSTS] = {"bursts", "bursts"},
	[USE_SIZES] = {"sizes", "sizes"},
	[USE_CACHE] = {"cache", "caches"},
	[USE_CACHE_OF_ONE_OP] = {"cache_of_one_op", "caches of reads or writes alone"},
	[USE_PARTS] = {"parts", "a part of the time alone"},
	[USE_SEEKS] = {"seeks", "disks that seek"},
	[USE_DEPENDENT] = {"dependent", "replay in mode dependent"},
};

static bool is_ratio(unsigned int figure)
{
	return figure < PROFILE_FIGURES	       ? figure_info(figure)->is_ratio
	       : figure < PROFILE_FIRST_CLOSED ? local_figure_is_ratio(figure - PROFILE_FIGURES)
					       : false;
}

/* How far beyond the same, as a part of the limit: above 1 is beyond. */
static double part_of_limit(unsigned int figure, double limit, double value)
{
	if (!is_ratio(figure))
		return fabs(value) / limit;
	return value > 0 ? fabs(log(value)) / log(limit) : HUGE_VAL;
}

void suitability_judge(const struct profile_error *error, struct suitability *s)
{
	double furthest[USES] = {0};

	*s = (struct suitability){0};
	for (unsigned int i = 0; i < sizeof(limits) / sizeof(limits[0]) && error->seeds; i++) {
		unsigned int use = limits[i].use, figure = limits[i].figure;
		double median = error->median[figure], part,
		       limit = limits[i].limit > 0 ? limits[i].limit
						   : local_figure_limit(figure - PROFILE_FIGURES);

		if (isnan(median))
			continue;
		part = part_of_limit(figure, limit, median);
		if (s->of[use] == SUITABILITY_UNKNOWN)
			s->of[use] = SUITABILITY_GOOD;
		if (part <= 1)
			continue;
		s->of[use] = SUITABILITY_NOT;
		s->beyond[use][s->beyond_count[use]++] = figure;
		if (part > furthest[use]) {
			furthest[use] = part;
			s->furthest[use] = figure;
		}
	}
}

const char *suitability_use_name(enum suitability_use use)
{
	return uses[use].name;
}

const char *suitability_use_text(enum suitability_use use)
{
	return uses[use].text;
}

const char *suitability_figure_name(unsigned int figure)
{
	return figure < PROFILE_FIGURES	       ? figure_info(figure)->name
	       : figure < PROFILE_FIRST_CLOSED ? local_figure_name(figure - PROFILE_FIGURES)
					       : closed_figure_name(figure - PROFILE_FIRST_CLOSED);
}

const char *suitability_figure_label(unsigned int figure)
{
	return figure < PROFILE_FIGURES	       ? figure_info(figure)->label
	       : figure < PROFILE_FIRST_CLOSED ? local_figure_label(figure - PROFILE_FIGURES)
					       : closed_figure_label(figure - PROFILE_FIRST_CLOSED);
}
