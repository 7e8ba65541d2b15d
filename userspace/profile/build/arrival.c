// SPDX-License-Identifier: MIT
#include "profile/build/arrival.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "profile/arrival/arrival.h"
#include "profile/classes.h"
#include "workload/figures/measure.h"

/* The first so many IOs of a trace decide how long a bin is. */
#define FIT_IOS 16384u

#define SEEDS_MIN    2
#define SEEDS_MAX    8	  /* of few IOs one seed says little, and costs little */
#define BURSTY	     2.0  /* variance / mean in 10 ms */
#define OFF_MAX	     4.0  /* of one figure: nothing is so wrong that the others do not matter */
#define GAP_OFF	     0.05 /* distance of gaps, and ratio of bursts, that are equally far off */
#define BURST_OFF    1.25
#define BETTER	     0.9 /* a longer bin must be so much better, because it says less of bursts */
#define BURSTS_ALIKE 0.4 /* and may be worse by so much in bursts */
#define FEWER_STEP   2u	 /* levels fewer from one attempt to the next */

static int count_time(struct workload_measure *m, uint64_t time_ns)
{
	return workload_measure__add(m, &(struct io_row){.created_ns = time_ns, .op = IO_OP_FLUSH});
}

static double off(double generated, double wanted)
{
	double value;

	if (isnan(generated) || isnan(wanted))
		return 0;
	/* Of arrivals more even than random it does not matter how many times more even. */
	if (generated < 1 && wanted < 1)
		return fabs(generated - wanted);
	if (generated <= 0 || wanted <= 0)
		return OFF_MAX;
	value = fabs(log(generated / wanted)) / log(BURST_OFF);
	return value < OFF_MAX ? value : OFF_MAX;
}

/* Distances from the trace, summed up over the seeds. */
struct score {
	double gaps, bursts;
};

static void add_score(struct score *sum, const struct workload_figures *made,
		      const struct workload_figures *trace)
{
	sum->gaps += histogram_ks(&made->gaps, &trace->gaps) / GAP_OFF;
	for (unsigned int s = 0; s < WINDOW_SCALES; s++)
		sum->bursts += off(made->idc[s], trace->idc[s]);
	sum->bursts += off((double)made->peak_10ms_ios, (double)trace->peak_10ms_ios);
}

static int try_seed(const struct profile *p, const struct workload_figures *trace, uint64_t seed,
		    struct score *sum)
{
	struct workload_measure *measure = NULL;
	struct arrival *arrival = NULL;
	struct prng random;
	uint64_t time_ns;
	uint32_t window;
	int err = workload_measure__create_sampled(0, 1, &measure);

	prng_seed(&random, seed);
	if (!err)
		err = arrival__create(p, &arrival);
	while (!err && arrival__next(arrival, &random, &time_ns, &window))
		err = count_time(measure, time_ns);
	if (!err)
		add_score(sum, workload_measure__finish(measure), trace);
	arrival__free(arrival);
	workload_measure__free(measure);
	return err;
}

static uint32_t seeds_for(uint32_t count)
{
	uint32_t seeds = SEEDS_MIN * FIT_IOS / count;

	return seeds < SEEDS_MAX ? seeds : SEEDS_MAX;
}

/* Tries all seeds with a number of split levels. */
static int try_split_levels(struct profile *p, const uint64_t *times_ns, uint32_t count,
			    uint32_t split_levels, const struct workload_figures *trace,
			    struct score *sum)
{
	const uint64_t no_classes[PROFILE_SIZE_CLASSES] = {0};
	struct arrival_counts *counts;
	int err = arrival_counts__create(time_grid_for(count, p->duration_ns, 0), p->duration_ns,
					 split_levels, no_classes, &counts);

	if (err)
		return err;
	for (uint32_t i = 0; i < count; i++)
		arrival_counts__add(counts, times_ns[i] - times_ns[0], false, 0);
	p->arrival = (struct profile_arrival){0};
	err = arrival_counts__finish(counts, false, &p->arrival);
	arrival_counts__free(counts);
	*sum = (struct score){0};
	for (uint64_t seed = 1; seed <= seeds_for(count) && !err; seed++)
		err = try_seed(p, trace, seed, sum);
	return err;
}

static bool is_better(const struct score *a, const struct score *b, uint32_t seeds)
{
	return a->gaps + a->bursts < BETTER * (b->gaps + b->bursts) &&
	       a->bursts <= b->bursts + seeds * BURSTS_ALIKE;
}

static uint64_t find_best(struct profile *p, const uint64_t *times_ns, uint32_t count,
			  const struct workload_figures *trace)
{
	uint64_t window_ns = p->duration_ns / time_grid_for(count, p->duration_ns, 0).windows;
	uint32_t most = split_levels_to(window_ns, BIN_NS), best = most;
	struct score least, score;
	int err = try_split_levels(p, times_ns, count, most, trace, &least);

	for (uint32_t fewer = FEWER_STEP; !err && fewer < most + FEWER_STEP; fewer += FEWER_STEP) {
		uint32_t split_levels = fewer < most ? most - fewer : 0;

		err = try_split_levels(p, times_ns, count, split_levels, trace, &score);
		if (err || !is_better(&score, &least, seeds_for(count)))
			continue;
		least = score;
		best = split_levels;
	}
	return err || best == most ? BIN_NS : window_ns >> best;
}

/*
 * Tries several lengths of a bin on rising times of IOs and returns, in ns, the length with which
 * the generated times are most like them. BIN_NS if memory is short, or if the IOs are bursty and
 * not `all` of the trace.
 */
static uint64_t fit_bin_ns(const uint64_t *times_ns, uint32_t count, bool all)
{
	struct profile *p = calloc(1, sizeof(*p));
	struct workload_measure *measure = NULL;
	uint64_t bin_ns = BIN_NS;
	int err = p ? workload_measure__create_sampled(0, 1, &measure) : -1;

	for (uint32_t i = 0; i < count && !err; i++)
		err = count_time(measure, times_ns[i]);
	/* The bursts of a part say little of the bursts of the whole. */
	if (!err && !all && workload_measure__finish(measure)->idc[WINDOW_10MS] > BURSTY)
		count = 0;
	if (!err && count > 1) {
		p->ios = count;
		p->duration_ns = times_ns[count - 1] - times_ns[0];
		bin_ns = find_best(p, times_ns, count, workload_measure__finish(measure));
	}
	workload_measure__free(measure);
	free(p);
	return bin_ns > BIN_NS ? bin_ns : BIN_NS;
}

struct arrival_builder {
	struct arrival_counts *counts;
	uint64_t window_ns;
	/* The first times, held until they have decided how long a bin is; then NULL. */
	uint64_t *held_ns;
	uint8_t *held_kinds; /* is a read + 2 * size class */
	uint32_t held, held_max;
};

int arrival_builder__create(uint64_t ios, uint64_t duration_ns, struct time_grid grid,
			    const uint64_t above_bytes[PROFILE_SIZE_CLASSES],
			    struct arrival_builder **builder)
{
	struct arrival_builder *b = calloc(1, sizeof(*b));
	int err;

	if (!b)
		return -ENOMEM;
	b->window_ns = duration_ns / grid.windows;
	err = arrival_counts__create(grid, duration_ns, split_levels_to(b->window_ns, BIN_NS),
				     above_bytes, &b->counts);
	b->held_max = ios < FIT_IOS ? (uint32_t)ios + 1 : FIT_IOS;
	b->held_ns = calloc(b->held_max, sizeof(*b->held_ns));
	b->held_kinds = calloc(b->held_max, sizeof(*b->held_kinds));
	if (err || !b->held_ns || !b->held_kinds) {
		arrival_builder__free(b);
		return -ENOMEM;
	}
	*builder = b;
	return 0;
}

void arrival_builder__free(struct arrival_builder *b)
{
	if (!b)
		return;
	arrival_counts__free(b->counts);
	free(b->held_ns);
	free(b->held_kinds);
	free(b);
}

/* The held times decide how long a bin is, and are counted then. */
static void count_held(struct arrival_builder *b, bool all)
{
	uint64_t bin_ns = fit_bin_ns(b->held_ns, b->held, all);

	arrival_counts__set_split_levels(b->counts, split_levels_to(b->window_ns, bin_ns));
	for (uint32_t i = 0; i < b->held; i++)
		arrival_counts__add(b->counts, b->held_ns[i], b->held_kinds[i] & 1,
				    b->held_kinds[i] / 2);
	free(b->held_ns);
	b->held_ns = NULL;
}

uint32_t arrival_builder__add(struct arrival_builder *b, uint64_t time_ns, bool is_read,
			      unsigned int class)
{
	if (!b->held_ns)
		return arrival_counts__add(b->counts, time_ns, is_read, class);
	b->held_kinds[b->held] = (uint8_t)(is_read + 2 * class);
	b->held_ns[b->held++] = time_ns;
	if (b->held == b->held_max)
		count_held(b, false);
	return arrival_counts__window(b->counts, time_ns);
}

int arrival_builder__finish(struct arrival_builder *b, struct profile_arrival *arrival)
{
	if (b->held_ns)
		count_held(b, true);
	return arrival_counts__finish(b->counts, true, arrival);
}
