// SPDX-License-Identifier: MIT
#include "bench/points.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

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

const char *const bench_suites[] = {"six-job", "oltp-50", "peak", "random", "sequential", NULL};

/* The grid ----------------------------------------------------------------------------------- */

struct dimension {
	const char *name;
	unsigned int *count;
	uint64_t *values;
	uint64_t least, most;
	bool bytes;
};

static int wrong(char *message, const char *text, const char *what)
{
	snprintf(message, BENCH_MESSAGE_MAX, "--grid '%.60s': %s", text, what);
	return -EINVAL;
}

static int add_value(const struct dimension *d, const char *value)
{
	uint64_t number = 0;

	if (d->bytes ? units_parse_bytes(value, &number)
		     : units_parse_count(value, d->least, d->most, &number))
		return -EINVAL;
	if (d->bytes && (number < d->least || number > d->most || number % SECTOR_BYTES))
		return -EINVAL;
	if (*d->count == BENCH_VALUES_MAX)
		return -E2BIG;
	for (unsigned int i = 0; i < *d->count; i++)
		if (d->values[i] == number)
			return -EEXIST;
	d->values[(*d->count)++] = number;
	return 0;
}

int bench_grid__add(struct bench_grid *g, const char *text, char message[BENCH_MESSAGE_MAX])
{
	const struct dimension dimensions[] = {
		{"bs", &g->bs_count, g->bs_bytes, SECTOR_BYTES, 64 * MIB, true},
		{"mix", &g->mix_count, g->mix_pct, 0, 100, false},
		{"depth", &g->depth_count, g->depth, 1, 4096, false},
		{"jobs", &g->jobs_count, g->jobs, 1, 16, false},
	};
	const char *equals = strchr(text, '=');
	char values[512], *rest = NULL;

	if (!equals)
		return wrong(message, text, "is not NAME=VALUE,VALUE..., such as bs=4k,64k");
	for (size_t i = 0; i < sizeof(dimensions) / sizeof(dimensions[0]); i++) {
		const struct dimension *d = &dimensions[i];

		if (strlen(d->name) != (size_t)(equals - text) ||
		    strncmp(text, d->name, strlen(d->name)) != 0)
			continue;
		if (!equals[1] || strlen(equals + 1) >= sizeof(values))
			return wrong(message, text, "has no values, or too many");
		snprintf(values, sizeof(values), "%s", equals + 1);
		for (char *v = strtok_r(values, ",", &rest); v; v = strtok_r(NULL, ",", &rest)) {
			int err = add_value(d, v);

			if (err)
				return wrong(message, text,
					     err == -EEXIST  ? "has a value twice"
					     : err == -E2BIG ? "has more than 32 values"
							     : "has a value that cannot be");
		}
		return 0;
	}
	return wrong(message, text, "varies none of bs, mix, depth and jobs");
}

/* Points ------------------------------------------------------------------------------------- */

static bool is_suite(const char *plan)
{
	for (const char *const *name = bench_suites; *name; name++)
		if (!strcmp(*name, plan))
			return true;
	return false;
}

static int add_point(struct bench_points *points, const struct bench_point *point)
{
	if (points->count == BENCH_POINTS_MAX)
		return -E2BIG;
	points->items[points->count++] = *point;
	return 0;
}

/* `count` 0: one pass that changes nothing. */
static unsigned int passes(unsigned int count)
{
	return count ? count : 1;
}

static int vary(struct bench_points *points, const struct bench_grid *g,
		const struct bench_point *base, unsigned int repeats)
{
	for (unsigned int b = 0; b < passes(g->bs_count); b++)
		for (unsigned int m = 0; m < passes(g->mix_count); m++)
			for (unsigned int j = 0; j < passes(g->jobs_count); j++)
				for (unsigned int d = 0; d < passes(g->depth_count); d++)
					for (unsigned int r = 1; r <= repeats; r++) {
						struct bench_point p = *base;

						p.bs_bytes =
							g->bs_count ? g->bs_bytes[b] : p.bs_bytes;
						p.mix_pct = g->mix_count ? (int)g->mix_pct[m]
									 : p.mix_pct;
						p.jobs = g->jobs_count ? (unsigned int)g->jobs[j]
								       : p.jobs;
						p.depth = g->depth_count ? (uint32_t)g->depth[d]
									 : p.depth;
						p.repeat = r;
						if (add_point(points, &p))
							return -E2BIG;
					}
	return 0;
}

static int add_source(struct bench_points *points, const char *plan, const struct bench_grid *grid,
		      unsigned int repeats, char *message)
{
	struct bench_point base = {
		.source = plan, .mix_pct = BENCH_NO_MIX, .depth = DEFAULT_DEPTH, .jobs = 1};
	const char *slash = strrchr(plan, '/');

	if (grid->bs_count || grid->mix_count) {
		snprintf(message, BENCH_MESSAGE_MAX,
			 "--grid bs and mix are for suites: %.60s has sizes and a mix of its own",
			 plan);
		return -EINVAL;
	}
	snprintf(base.name, sizeof(base.name), "%.60s", slash ? slash + 1 : plan);
	return vary(points, grid, &base, repeats);
}

int bench_points__create(const char *plan, const struct bench_grid *grid, unsigned int repeats,
			 struct bench_points *points, char message[BENCH_MESSAGE_MAX])
{
	int err = 0;

	*points = (struct bench_points){.is_suite = is_suite(plan)};
	points->items = calloc(BENCH_POINTS_MAX, sizeof(*points->items));
	if (!points->items)
		return -ENOMEM;
	if (!points->is_suite)
		err = add_source(points, plan, grid, repeats, message);
	for (size_t i = 0; i < SUITE_POINTS && !err; i++) {
		const struct suite_point *s = &suite_points[i];
		struct bench_point base = {.random = s->random,
					   .bs_bytes = s->bs_bytes,
					   .mix_pct = s->mix_pct,
					   .depth = s->depth,
					   .jobs = s->jobs};

		if (strcmp(plan, s->suite) != 0)
			continue;
		snprintf(base.name, sizeof(base.name), "%s", s->name);
		err = vary(points, grid, &base, repeats);
	}
	if (err == -E2BIG) {
		snprintf(message, BENCH_MESSAGE_MAX, "more than %d points: vary less",
			 BENCH_POINTS_MAX);
		err = -EINVAL;
	}
	if (err)
		bench_points__free(points);
	return err;
}

void bench_points__free(struct bench_points *points)
{
	free(points->items);
	points->items = NULL;
	points->count = 0;
}

bool bench_point__writes(const struct bench_point *point)
{
	return point->mix_pct != BENCH_NO_MIX && point->mix_pct < 100;
}

const char *bench_point__key(const struct bench_point *p, char key[BENCH_KEY_MAX])
{
	snprintf(key, BENCH_KEY_MAX, "%s %s bs=%" PRIu64 " mix=%d depth=%u jobs=%u repeat=%u",
		 p->name, p->random ? "random" : "in order", p->bs_bytes, p->mix_pct, p->depth,
		 p->jobs, p->repeat);
	return key;
}
