// SPDX-License-Identifier: MIT
#include "bench/document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct field {
	const char *name;
	size_t offset;
	bool is_real, of_steady;
};

#define AT(field) #field, offsetof(struct bench_figures, field)
#define WHOLE(field)                    \
	{                               \
		AT(field), false, false \
	}
#define REAL(field)                    \
	{                              \
		AT(field), true, false \
	}

static const struct field fields[] = {
	REAL(iops),
	REAL(read_iops),
	REAL(write_iops),
	REAL(bytes_per_s),
	WHOLE(ios),
	WHOLE(bytes),
	WHOLE(errors),
	WHOLE(skipped),
	WHOLE(reads),
	WHOLE(read_bytes),
	WHOLE(writes),
	WHOLE(write_bytes),
	WHOLE(duration_ns),
	REAL(mean_ns),
	WHOLE(min_ns),
	WHOLE(p50_ns),
	WHOLE(p99_ns),
	WHOLE(p99_9_ns),
	WHOLE(max_ns),
	{AT(steady_rounds), false, true},
	{AT(steady_reached), false, true},
	{AT(steady_mean), true, true},
	{AT(steady_range_pct), true, true},
	{AT(steady_slope_pct), true, true},
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

void bench_figures__set(json_t *object, const struct bench_figures *figures)
{
	for (size_t i = 0; i < FIELDS; i++) {
		const void *at = (const char *)figures + fields[i].offset;

		if (fields[i].of_steady && !figures->steady_rounds)
			continue;
		json_object_set_new(object, fields[i].name,
				    fields[i].is_real
					    ? json_real(*(const double *)at)
					    : json_integer((json_int_t) * (const uint64_t *)at));
	}
	json_object_set_new(object, "latencies",
			    json_string(figures->latencies ? figures->latencies : ""));
}

int bench_figures__get(const json_t *object, struct bench_figures *figures)
{
	const char *latencies = json_string_value(json_object_get(object, "latencies"));

	*figures = (struct bench_figures){0};
	for (size_t i = 0; i < FIELDS; i++) {
		const json_t *value = json_object_get(object, fields[i].name);
		void *at = (char *)figures + fields[i].offset;

		if (!value && fields[i].of_steady)
			continue;
		if (!(fields[i].is_real ? json_is_number(value) : json_is_integer(value)))
			return -EINVAL;
		if (fields[i].is_real)
			*(double *)at = json_number_value(value);
		else
			*(uint64_t *)at = (uint64_t)json_integer_value(value);
	}
	figures->latencies = latencies ? strdup(latencies) : NULL;
	return figures->latencies ? 0 : -EINVAL;
}

static void set_whole(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

void bench_point__set(json_t *object, const struct bench_point *p)
{
	json_object_set_new(object, "name", json_string(p->name));
	if (p->bs_bytes)
		set_whole(object, "bs_bytes", p->bs_bytes);
	if (p->mix_pct != BENCH_NO_MIX)
		set_whole(object, "read_pct", (uint64_t)p->mix_pct);
	set_whole(object, "depth", p->depth);
	set_whole(object, "jobs", p->jobs);
	set_whole(object, "repeat", p->repeat);
	if (p->round)
		set_whole(object, "round", p->round);
	set_whole(object, "runtime_ns", p->runtime_ns);
}

static uint64_t whole(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

int bench_point__get(const json_t *object, struct bench_point *p)
{
	const char *name = json_string_value(json_object_get(object, "name"));

	*p = (struct bench_point){
		.bs_bytes = whole(object, "bs_bytes"),
		.mix_pct = json_object_get(object, "read_pct") ? (int)whole(object, "read_pct")
							       : BENCH_NO_MIX,
		.depth = (uint32_t)whole(object, "depth"),
		.jobs = (unsigned int)whole(object, "jobs"),
		.repeat = (unsigned int)whole(object, "repeat"),
		.round = (unsigned int)whole(object, "round"),
		.runtime_ns = whole(object, "runtime_ns"),
	};
	if (!name || !p->depth || !p->jobs || !p->repeat)
		return -EINVAL;
	snprintf(p->name, sizeof(p->name), "%s", name);
	return 0;
}
