// SPDX-License-Identifier: MIT
#include "compare/repetitions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdict_names[] = {
	[LATENCY_NOT_KNOWN] = "unknown",
	[LATENCY_AS_LONG] = "same",
	[LATENCY_WITHIN_NOISE] = "within_noise",
	[LATENCY_SLOWER] = "slower",
	[LATENCY_FASTER] = "faster",
};

const char *latency_verdict_name(enum latency_verdict verdict)
{
	return verdict_names[verdict];
}

double comparison_figure_neutral(const char *name)
{
	if (strncmp(name, "workload.", 9))
		return strncmp(name, "exact.", 6) ? 1 : 0;
	for (unsigned int i = 0; i < FIGURE_COUNT; i++)
		if (!strcmp(name + 9, figure_info(i)->name))
			return figure_info(i)->is_ratio ? 1 : 0;
	return 1; /* workload.same */
}

bool repetitions__know_noise(const struct repetitions *r)
{
	return r->a->count >= INTERVAL_RUNS_MIN && r->b->count >= INTERVAL_RUNS_MIN;
}

int repetitions__figure(const struct repetitions *r, const char *name, struct interval *interval)
{
	double values[RUNS_MAX * RUNS_MAX];
	unsigned int count = r->a->count * r->b->count;

	if (!strcmp(name, "workload.same"))
		*interval = (struct interval){NAN, NAN, NAN};
	if (!strcmp(name, "workload.same"))
		return comparison_figure(&r->typical, name, &interval->value);
	for (unsigned int i = 0; i < count; i++) {
		int err = comparison_figure(&r->pairs[i], name, &values[i]);

		if (err)
			return err;
	}
	*interval = interval_of_pairs(values, r->a->count, r->b->count);
	return 0;
}

/* Of the double at this offset of each pair. */
static double median_of_pairs(const struct repetitions *r, size_t offset)
{
	double values[RUNS_MAX * RUNS_MAX];
	unsigned int count = r->a->count * r->b->count;

	for (unsigned int i = 0; i < count; i++)
		memcpy(&values[i], (const char *)&r->pairs[i] + offset, sizeof(values[i]));
	return interval_of_pairs(values, r->a->count, r->b->count).value;
}

/* Each column of `runs` distributions becomes its median. */
static struct distribution median_distribution(const struct distribution *runs, unsigned int count)
{
	static const size_t columns[] = {
		offsetof(struct distribution, count), offsetof(struct distribution, min),
		offsetof(struct distribution, p50),   offsetof(struct distribution, p90),
		offsetof(struct distribution, p99),   offsetof(struct distribution, p99_9),
		offsetof(struct distribution, max)};
	struct distribution median;
	double values[RUNS_MAX];

	for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++) {
		uint64_t value;

		for (unsigned int i = 0; i < count; i++) {
			memcpy(&value, (const char *)&runs[i] + columns[c], sizeof(value));
			values[i] = (double)value;
		}
		value = (uint64_t)median_of_runs(values, count);
		memcpy((char *)&median + columns[c], &value, sizeof(value));
	}
	for (unsigned int i = 0; i < count; i++)
		values[i] = runs[i].mean;
	median.mean = median_of_runs(values, count);
	return median;
}

static double median_ratio(const struct repetitions *r, const char *op, unsigned int part,
			   const char *column)
{
	struct interval interval;
	char name[64];

	snprintf(name, sizeof(name), "latency.%s.%s%s%s", op, part ? latency_part_name(part) : "",
		 part ? "." : "", column);
	return repetitions__figure(r, name, &interval) ? NAN : interval.value;
}

static void typical_latency(struct repetitions *r, const char *op, size_t offset,
			    struct latency_comparison *typical)
{
	struct distribution runs[RUNS_MAX];
	size_t depth = offset + offsetof(struct latency_comparison, equal_depth);

	typical->equal_depth.share_pct =
		median_of_pairs(r, depth + offsetof(struct equal_depth, share_pct));
	typical->equal_depth.ratio =
		median_of_pairs(r, depth + offsetof(struct equal_depth, ratio));
	for (unsigned int part = 0; part < LATENCY_PARTS; part++) {
		for (unsigned int i = 0; i < r->a->count; i++) {
			const struct latency_comparison *l =
				(const void *)((const char *)&r->pairs[i * r->b->count] + offset);

			runs[i] = l->a[part];
		}
		typical->a[part] = median_distribution(runs, r->a->count);
		for (unsigned int i = 0; i < r->b->count; i++) {
			const struct latency_comparison *l =
				(const void *)((const char *)&r->pairs[i] + offset);

			runs[i] = l->b[part];
		}
		typical->b[part] = median_distribution(runs, r->b->count);
		typical->ratio[part] = (struct latency_ratio){
			.mean = median_ratio(r, op, part, "mean"),
			.p50 = median_ratio(r, op, part, "p50"),
			.p90 = median_ratio(r, op, part, "p90"),
			.p99 = median_ratio(r, op, part, "p99"),
			.p99_9 = median_ratio(r, op, part, "p99_9"),
			.max = median_ratio(r, op, part, "max"),
		};
	}
}

static void compare_pairs(struct repetitions *r)
{
	for (unsigned int i = 0; i < r->a->count; i++) {
		for (unsigned int j = 0; j < r->b->count; j++) {
			struct comparison *c = &r->pairs[i * r->b->count + j];

			compare_workloads(r->a->figures[i], r->b->figures[j], c);
			comparison_add_missing(c, r->a->missing[i], r->b->missing[j]);
			r->typical.no_verdict |= c->no_verdict;
			r->typical.follows_device |= c->follows_device;
			r->typical.is_generated |= c->is_generated;
			r->typical.near_zero |= c->near_zero;
		}
	}
}

int repetitions_compare(const struct run_set *a, const struct run_set *b, struct repetitions *r)
{
	*r = (struct repetitions){.a = a, .b = b};
	r->pairs = calloc((size_t)a->count * b->count, sizeof(*r->pairs));
	if (!r->pairs)
		return -ENOMEM;
	r->typical.a = a->figures[0];
	r->typical.b = b->figures[0];
	compare_pairs(r);
	for (unsigned int i = 0; i < FIGURE_COUNT; i++) {
		r->typical.figures[i] = median_of_pairs(r, offsetof(struct comparison, figures) +
								   i * sizeof(double));
		r->typical.reasons[i] = r->pairs[0].reasons[i];
		r->judged += !isnan(r->typical.figures[i]);
	}
	typical_latency(r, "read", offsetof(struct comparison, read), &r->typical.read);
	typical_latency(r, "write", offsetof(struct comparison, write), &r->typical.write);
	repetitions__figure(r, "latency.read.mean", &r->read_mean);
	repetitions__figure(r, "latency.write.mean", &r->write_mean);
	return 0;
}

void repetitions__release(struct repetitions *r)
{
	free(r->pairs);
	r->pairs = NULL;
}
