// SPDX-License-Identifier: MIT
#include "bench/plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "bench/pts.h"
#include "jobs/fio.h"

#define DEFAULT_DEPTH 32

struct suite_point {
	const char *suite, *name;
	bool random;
	uint64_t bs_bytes;
	int mix_pct;
	uint32_t depth;
	unsigned int jobs;
};

#define KIB 1024ull
#define MIB (1024ull * 1024)

static const struct suite_point suite_points[] = {
	{"six-job", "seq-read", false, 128 * KIB, 100, 32, 1},
	{"six-job", "seq-write", false, 128 * KIB, 0, 32, 1},
	{"six-job", "seq-mix", false, 128 * KIB, 50, 32, 1},
	{"six-job", "rand-read", true, 4 * KIB, 100, 32, 1},
	{"six-job", "rand-write", true, 4 * KIB, 0, 32, 1},
	{"six-job", "rand-mix", true, 4 * KIB, 50, 32, 1},
	{"oltp-50", "oltp-50", true, 8 * KIB, 75, 50, 1},
	{"peak", "read-1m", true, MIB, 100, 32, 4},
	{"peak", "write-1m", true, MIB, 0, 32, 4},
	{"peak", "read-4k", true, 4 * KIB, 100, 32, 4},
	{"peak", "write-4k", true, 4 * KIB, 0, 32, 4},
	{"random", "random", true, 4 * KIB, 100, 32, 1},
	{"sequential", "sequential", false, 128 * KIB, 100, 32, 1},
};

#define SUITE_POINTS (sizeof(suite_points) / sizeof(suite_points[0]))

static const char *const suites[] = {"six-job", "oltp-50", "peak", "random", "sequential", NULL};

static bool is_suite(const char *plan)
{
	for (const char *const *name = suites; *name; name++)
		if (!strcmp(*name, plan))
			return true;
	return false;
}

/* `count` 0: one pass that changes nothing. */
static unsigned int passes(unsigned int count)
{
	return count ? count : 1;
}

static int vary(struct bench_points *points, const struct bench_request *r,
		const struct bench_point *base)
{
	const struct bench_grid *g = r->grid;

	for (unsigned int b = 0; b < passes(g->bs_count); b++)
		for (unsigned int m = 0; m < passes(g->mix_count); m++)
			for (unsigned int j = 0; j < passes(g->jobs_count); j++)
				for (unsigned int d = 0; d < passes(g->depth_count); d++)
					for (unsigned int i = 1; i <= r->repeats; i++) {
						struct bench_point p = *base;

						p.bs_bytes =
							g->bs_count ? g->bs_bytes[b] : p.bs_bytes;
						p.mix_pct = g->mix_count ? (int)g->mix_pct[m]
									 : p.mix_pct;
						p.jobs = g->jobs_count ? (unsigned int)g->jobs[j]
								       : p.jobs;
						p.depth = g->depth_count ? (uint32_t)g->depth[d]
									 : p.depth;
						p.repeat = i;
						if (bench_points__add(points, &p))
							return -E2BIG;
					}
	return 0;
}

static uint64_t runtime_of(const struct bench_request *r)
{
	return r->runtime_ns ? r->runtime_ns : BENCH_RUNTIME_NS;
}

/* Job files ---------------------------------------------------------------------------------- */

static bool is_job_file(const char *plan)
{
	size_t length = strlen(plan);

	return length > 4 && !strcmp(plan + length - 4, ".fio");
}

static int add_group(struct bench_points *points, const struct bench_request *r,
		     const struct fio_group *group, unsigned int number)
{
	struct bench_point p = {
		.kind = BENCH_JOBS,
		.source = r->plan,
		.group = number,
		.rated = group->rated,
		.loops = group->is_timed || r->runtime_ns,
		.buffered = group->buffered,
		.writes = group->writes,
		.mix_pct = BENCH_NO_MIX,
		.depth = (uint32_t)(group->depth > UINT32_MAX ? UINT32_MAX : group->depth),
		.jobs = 1,
		.runtime_ns = r->runtime_ns ? r->runtime_ns : group->runtime_ns,
		.ramp_ns = r->runtime_ns ? 0 : group->ramp_ns};
	int err = 0;

	snprintf(p.name, sizeof(p.name), "%s", group->name);
	if (p.runtime_ns)
		p.runtime_ns += p.ramp_ns;
	for (p.repeat = 1; p.repeat <= r->repeats && !err; p.repeat++)
		err = bench_points__add(points, &p);
	return err;
}

static int add_job_file(struct bench_points *points, const struct bench_request *r, char *message)
{
	struct fio_group *groups = calloc(FIO_GROUPS_MAX, sizeof(*groups));
	char reason[PROFILE_MESSAGE_MAX] = "";
	FILE *in = fopen(r->plan, "re");
	unsigned int count = 0;
	int err = !groups ? -ENOMEM : !in ? -errno : 0;

	if (!err)
		err = profile__fio_groups(in, r->plan, r->target_bytes, r->note, r->context, groups,
					  &count, reason);
	if (err == -EINVAL)
		snprintf(message, BENCH_MESSAGE_MAX, "%s", reason);
	for (unsigned int i = 0; i < count && !err; i++)
		err = add_group(points, r, &groups[i], i);
	if (in)
		fclose(in);
	free(groups);
	return err == -EINVAL ? -EBADMSG : err;
}

/* Other plans -------------------------------------------------------------------------------- */

static int add_source(struct bench_points *points, const struct bench_request *r, char *message)
{
	const char *slash = strrchr(r->plan, '/');
	struct bench_point base = {.kind = BENCH_SOURCE,
				   .source = r->plan,
				   .mix_pct = BENCH_NO_MIX,
				   .depth = DEFAULT_DEPTH,
				   .jobs = 1,
				   .loops = true,
				   .runtime_ns = runtime_of(r)};

	if (r->grid->bs_count || r->grid->mix_count) {
		snprintf(message, BENCH_MESSAGE_MAX,
			 "--grid bs and mix are for suites: %.60s has sizes and a mix of its own",
			 r->plan);
		return -EINVAL;
	}
	if (is_job_file(r->plan) && !r->grid->depth_count && !r->grid->jobs_count)
		return add_job_file(points, r, message);
	snprintf(base.name, sizeof(base.name), "%.60s", slash ? slash + 1 : r->plan);
	return vary(points, r, &base);
}

static int add_suite(struct bench_points *points, const struct bench_request *r)
{
	int err = 0;

	for (size_t i = 0; i < SUITE_POINTS && !err; i++) {
		const struct suite_point *s = &suite_points[i];
		struct bench_point base = {.kind = BENCH_SUITE,
					   .loops = true,
					   .random = s->random,
					   .bs_bytes = s->bs_bytes,
					   .mix_pct = s->mix_pct,
					   .depth = s->depth,
					   .jobs = s->jobs,
					   .runtime_ns = runtime_of(r)};

		if (strcmp(r->plan, s->suite) != 0)
			continue;
		snprintf(base.name, sizeof(base.name), "%s", s->name);
		err = vary(points, r, &base);
	}
	return err;
}

int bench_plan(const struct bench_request *r, struct bench_points *points,
	       char message[BENCH_MESSAGE_MAX])
{
	int err;

	*points = (struct bench_points){.pts = bench_pts__find(r->plan)};
	points->items = calloc(BENCH_POINTS_MAX, sizeof(*points->items));
	if (!points->items)
		return -ENOMEM;
	if (points->pts)
		err = bench_pts__add(points->pts, r, points, message);
	else if (is_suite(r->plan))
		err = add_suite(points, r);
	else
		err = add_source(points, r, message);
	if (err == -E2BIG) {
		snprintf(message, BENCH_MESSAGE_MAX, "more than %d points: vary less",
			 BENCH_POINTS_MAX);
		err = -EINVAL;
	}
	if (err)
		bench_points__free(points);
	return err;
}
