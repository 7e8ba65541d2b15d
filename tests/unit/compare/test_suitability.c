// SPDX-License-Identifier: MIT
/* What a profile is good for follows from the figures of its [error]. */
#include "unit/shared/test.h"

#include <math.h>
#include <string.h>

#include "compare/figures.h"
#include "compare/suitability.h"
#include "workload/figures/closed_figures.h"
#include "workload/figures/local_figures.h"

static struct profile_error perfect(void)
{
	struct profile_error e = {.seeds = 5};

	for (unsigned int i = 0; i < PROFILE_FIGURES; i++)
		e.median[i] = figure_info(i)->is_ratio ? 1 : 0;
	for (unsigned int i = 0; i < PROFILE_LOCAL_FIGURES; i++)
		e.median[PROFILE_FIGURES + i] = local_figure_is_ratio(i) ? 1 : 0;
	return e;
}

static void without_errors_all_is_good(void)
{
	struct profile_error e = perfect();
	struct suitability s;

	suitability_judge(&e, &s);
	for (unsigned int use = 0; use < USES; use++)
		CHECK_EQ(s.of[use], SUITABILITY_GOOD);
	e.seeds = 0;
	suitability_judge(&e, &s);
	for (unsigned int use = 0; use < USES; use++)
		CHECK_EQ(s.of[use], SUITABILITY_UNKNOWN);
}

static void the_furthest_figure_is_named(void)
{
	struct profile_error e = perfect();
	struct suitability s;

	e.median[PROFILE_FIGURES + LOCAL_EIGHTH_FOOTPRINT_RATIO] = 1 / 1.2;
	e.median[PROFILE_FIGURES + LOCAL_EIGHTH_MRC_MAE] = 0.3;
	e.median[PROFILE_FIGURES + LOCAL_EIGHTH_SIZE_TVD] = 0.05;
	suitability_judge(&e, &s);
	CHECK_EQ(s.of[USE_PARTS], SUITABILITY_NOT);
	CHECK_EQ(s.beyond_count[USE_PARTS], 2);
	CHECK(!strcmp(suitability_figure_name(s.furthest[USE_PARTS]), "eighth_mrc_mae"));
	CHECK(e.median[s.furthest[USE_PARTS]] == 0.3);
	for (unsigned int use = 0; use < USES; use++)
		CHECK(use == USE_PARTS || s.of[use] == SUITABILITY_GOOD);
}

static void what_is_not_known_does_not_count(void)
{
	struct profile_error e = perfect();
	struct suitability s;

	for (unsigned int i = 0; i < PROFILE_LOCAL_FIGURES; i++)
		e.median[PROFILE_FIGURES + i] = NAN;
	e.median[FIGURE_GAP_KS] = NAN;
	e.median[FIGURE_PEAK_10MS_RATIO] = 0; /* no ratio is further off */
	suitability_judge(&e, &s);
	CHECK_EQ(s.of[USE_SEEKS], SUITABILITY_UNKNOWN);
	CHECK_EQ(s.of[USE_BURSTS], SUITABILITY_NOT);
	CHECK_EQ(s.furthest[USE_BURSTS], FIGURE_PEAK_10MS_RATIO);
	CHECK_EQ(s.of[USE_CACHE], SUITABILITY_GOOD);
}

static void the_closed_loop_counts_for_mode_dependent(void)
{
	struct profile_error e = perfect();
	struct suitability s;

	e.median[PROFILE_FIRST_CLOSED + CLOSED_DEPTH_KS] = 0.207;
	e.median[PROFILE_FIRST_CLOSED + CLOSED_THINK_SHIFT] = 0.347;
	e.median[PROFILE_FIRST_CLOSED + CLOSED_LATENCY_SHIFT] = 0.554;
	suitability_judge(&e, &s);
	CHECK_EQ(s.of[USE_DEPENDENT], SUITABILITY_NOT);
	CHECK_EQ(s.beyond_count[USE_DEPENDENT], 3);
	CHECK(!strcmp(suitability_figure_name(s.furthest[USE_DEPENDENT]), "latency_shift"));
	CHECK(e.median[s.furthest[USE_DEPENDENT]] == 0.554);
	CHECK_EQ(s.of[USE_BURSTS], SUITABILITY_GOOD);
	/* Without a closed loop there is no such replay. */
	for (unsigned int i = 0; i < PROFILE_CLOSED_FIGURES; i++)
		e.median[PROFILE_FIRST_CLOSED + i] = NAN;
	suitability_judge(&e, &s);
	CHECK_EQ(s.of[USE_DEPENDENT], SUITABILITY_UNKNOWN);
}

int main(void)
{
	RUN(the_closed_loop_counts_for_mode_dependent);
	RUN(without_errors_all_is_good);
	RUN(the_furthest_figure_is_named);
	RUN(what_is_not_known_does_not_count);
	return TEST_RESULT;
}
