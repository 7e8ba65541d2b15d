// SPDX-License-Identifier: MIT
#include "bench/pts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

#define KIB 1024ull
#define MIB (1024ull * 1024)

#define ROUNDS_MAX	  25
#define SATURATION_ROUNDS 360
#define DEFAULT_DEPTH	  16
#define DEFAULT_JOBS	  2
#define FILL_DEPTH	  32

/* Sizes and mixes in the order in which a round measures them. */
static const struct bench_pts tests[] = {
	{.name = "pts-iops",
	 .title = "IOPS test",
	 .random = true,
	 .fills = true,
	 .size_count = 8,
	 .sizes = {MIB, 128 * KIB, 64 * KIB, 32 * KIB, 16 * KIB, 8 * KIB, 4 * KIB, 512},
	 .mix_count = 7,
	 .mixes = {100, 95, 65, 50, 35, 5, 0},
	 .depth = DEFAULT_DEPTH,
	 .jobs = DEFAULT_JOBS,
	 .figure = BENCH_IOPS,
	 .tracked_count = 3,
	 .tracked = {{4 * KIB, 0}, {64 * KIB, 65}, {MIB, 100}},
	 .rounds_max = ROUNDS_MAX},
	{.name = "pts-throughput",
	 .title = "throughput test",
	 .fills = true,
	 .size_count = 2,
	 .sizes = {MIB, 128 * KIB},
	 .mix_count = 2,
	 .mixes = {100, 0},
	 .depth = DEFAULT_DEPTH,
	 .jobs = DEFAULT_JOBS,
	 .figure = BENCH_THROUGHPUT,
	 .tracked_count = 4,
	 .tracked = {{MIB, 100}, {MIB, 0}, {128 * KIB, 100}, {128 * KIB, 0}},
	 .rounds_max = ROUNDS_MAX},
	{.name = "pts-latency",
	 .title = "latency test",
	 .random = true,
	 .fills = true,
	 .size_count = 3,
	 .sizes = {8 * KIB, 4 * KIB, 512},
	 .mix_count = 3,
	 .mixes = {100, 65, 0},
	 .depth = 1,
	 .jobs = 1,
	 .figure = BENCH_LATENCY,
	 .tracked_count = 1,
	 .tracked = {{4 * KIB, 0}},
	 .rounds_max = ROUNDS_MAX},
	{.name = "pts-saturation",
	 .title = "write saturation test",
	 .random = true,
	 .size_count = 1,
	 .sizes = {4 * KIB},
	 .mix_count = 1,
	 .mixes = {0},
	 .depth = DEFAULT_DEPTH,
	 .jobs = DEFAULT_JOBS,
	 .figure = BENCH_IOPS,
	 .rounds_max = SATURATION_ROUNDS,
	 .times_full = 4},
};

const struct bench_pts *bench_pts__find(const char *name)
{
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (!strcmp(tests[i].name, name))
			return &tests[i];
	return NULL;
}

/* Points ------------------------------------------------------------------------------------- */

static int check_grid(const struct bench_request *r, char *message)
{
	const struct bench_grid *g = r->grid;

	if (g->bs_count || g->mix_count)
		snprintf(message, BENCH_MESSAGE_MAX,
			 "--grid bs and mix: %s has the sizes and mixes of its specification",
			 r->plan);
	else if (g->depth_count > 1 || g->jobs_count > 1)
		snprintf(message, BENCH_MESSAGE_MAX,
			 "%s is measured with one depth and one number of jobs", r->plan);
	else if (r->repeats > 1)
		snprintf(message, BENCH_MESSAGE_MAX,
			 "--repeat: %s repeats its rounds until the steady state", r->plan);
	else
		return 0;
	return -EINVAL;
}

static int add_step(struct bench_points *points, const char *name, enum bench_kind kind,
		    uint32_t depth)
{
	struct bench_point p = {
		.kind = kind, .depth = depth, .jobs = 1, .repeat = 1, .mix_pct = BENCH_NO_MIX};

	snprintf(p.name, sizeof(p.name), "%s", name);
	return bench_points__add(points, &p);
}

static int add_round(const struct bench_pts *pts, const struct bench_request *r, unsigned int round,
		     struct bench_points *points)
{
	struct bench_point p = {
		.kind = BENCH_SUITE,
		.loops = true,
		.random = pts->random,
		.depth = r->grid->depth_count ? (uint32_t)r->grid->depth[0] : pts->depth,
		.jobs = r->grid->jobs_count ? (unsigned int)r->grid->jobs[0] : pts->jobs,
		.repeat = 1,
		.round = round,
		.runtime_ns = r->runtime_ns ? r->runtime_ns : BENCH_PTS_RUNTIME_NS};
	int err = 0;

	for (unsigned int m = 0; m < pts->mix_count && !err; m++)
		for (unsigned int s = 0; s < pts->size_count && !err; s++) {
			if (pts->sizes[s] % r->target_block_bytes ||
			    pts->sizes[s] > r->target_bytes)
				continue;
			p.bs_bytes = pts->sizes[s];
			p.mix_pct = pts->mixes[m];
			snprintf(p.name, sizeof(p.name), "round %u", round);
			err = bench_points__add(points, &p);
		}
	return err;
}

int bench_pts__add(const struct bench_pts *pts, const struct bench_request *r,
		   struct bench_points *points, char message[BENCH_MESSAGE_MAX])
{
	int err = check_grid(r, message);

	if (!err)
		err = add_step(points, "purge", BENCH_PURGE, 1);
	if (!err && pts->fills)
		err = add_step(points, "precondition", BENCH_FILL, FILL_DEPTH);
	for (unsigned int round = 1; round <= pts->rounds_max && !err; round++)
		err = add_round(pts, r, round, points);
	return err;
}

/* The steady state --------------------------------------------------------------------------- */

double bench_pts__figure(const struct bench_pts *pts, const struct bench_figures *f)
{
	return pts->figure == BENCH_IOPS	 ? f->iops
	       : pts->figure == BENCH_THROUGHPUT ? f->bytes_per_s
						 : f->mean_ns;
}

/* Rounds whose points are all among the first `done`. */
static unsigned int whole_rounds(const struct bench_points *points, unsigned int done)
{
	unsigned int last = done ? points->items[done - 1].round : 0;

	if (last && done < points->count && points->items[done].round == last)
		last--;
	return last;
}

/* False: the target has no such point. */
static bool judge(const struct bench_points *points, const struct bench_figures *figures,
		  unsigned int rounds, struct bench_tracked *tracked)
{
	struct steady steady = {0};

	for (unsigned int i = 0; i < points->count; i++) {
		const struct bench_point *p = &points->items[i];

		if (!p->round || p->bs_bytes != tracked->bs_bytes || p->mix_pct != tracked->mix_pct)
			continue;
		if (p->round > rounds)
			break;
		steady__add(&steady, bench_pts__figure(points->pts, &figures[i]));
	}
	steady__judge(&steady, &tracked->verdict);
	return steady.rounds > 0;
}

void bench_pts__judge(const struct bench_points *points, const struct bench_figures *figures,
		      unsigned int done, struct bench_steady *steady)
{
	const struct bench_pts *pts = points->pts;

	*steady = (struct bench_steady){.rounds = whole_rounds(points, done)};
	for (unsigned int t = 0; t < pts->tracked_count; t++) {
		struct bench_tracked *tracked = &steady->tracked[steady->tracked_count];

		tracked->bs_bytes = pts->tracked[t].bs_bytes;
		tracked->mix_pct = pts->tracked[t].mix_pct;
		steady->tracked_count += judge(points, figures, steady->rounds, tracked);
	}
	steady->reached = steady->tracked_count > 0;
	for (unsigned int t = 0; t < steady->tracked_count; t++)
		steady->reached &= steady->tracked[t].verdict.reached;
}

bool bench_pts__is_over(const struct bench_points *points, const struct bench_figures *figures,
			unsigned int done, uint64_t target_bytes)
{
	struct bench_steady steady;
	double written = 0;

	if (done == points->count)
		return true;
	if (!done || points->items[done - 1].round == points->items[done].round)
		return false;
	bench_pts__judge(points, figures, done, &steady);
	if (steady.reached)
		return true;
	for (unsigned int i = 0; i < done; i++)
		if (points->items[i].round)
			written += figures[i].bytes_per_s * (double)figures[i].duration_ns / 1e9;
	return points->pts->times_full && points->items[done - 1].round &&
	       written >= (double)points->pts->times_full * (double)target_bytes;
}
