// SPDX-License-Identifier: MIT
#include "bench/points.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define MIB (1024ull * 1024)

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

int bench_points__add(struct bench_points *points, const struct bench_point *point)
{
	if (points->count == BENCH_POINTS_MAX)
		return -E2BIG;
	points->items[points->count++] = *point;
	return 0;
}

void bench_points__free(struct bench_points *points)
{
	free(points->items);
	points->items = NULL;
	points->count = 0;
}

bool bench_point__writes(const struct bench_point *point)
{
	return point->writes || point->kind == BENCH_PURGE || point->kind == BENCH_FILL ||
	       (point->mix_pct != BENCH_NO_MIX && point->mix_pct < 100);
}

const char *bench_point__key(const struct bench_point *p, char key[BENCH_KEY_MAX])
{
	snprintf(key, BENCH_KEY_MAX,
		 "%s %s bs=%" PRIu64 " mix=%d depth=%u jobs=%u repeat=%u round=%u %" PRIu64 " ns",
		 p->name, p->random ? "random" : "in order", p->bs_bytes, p->mix_pct, p->depth,
		 p->jobs, p->repeat, p->round, p->runtime_ns);
	return key;
}
