// SPDX-License-Identifier: MIT
#include "profile/build/regimes.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define SIZE_COLUMNS (4 * SIZE_OCTAVES) /* by quarters of an octave */

/*
 * Clusters stay apart if one table for both would cost so many nats an IO; and so many at all, as
 * few IOs differ by chance.
 */
#define COST_PER_IO 0.07
#define COST_MIN    500

/* What is compared: the tables of a kind. */
struct tables {
	double sizes[SIZE_COLUMNS];
	double reuse[PROFILE_REUSE_SIZES][PROFILE_REUSE_OCTAVES];
	double run_recency[PROFILE_RUN_RECENCY_COLUMNS];
	double run_distance[PROFILE_RUN_DISTANCE_COLUMNS];
	double zones[PROFILE_ZONES];
};

/* Phases that are one so far. */
struct cluster {
	bool gone;
	double ios, cost;
	double more[PROFILE_PHASES_MAX]; /* that it costs together with one before it */
	struct tables *tables;		 /* of each kind */
};

struct clusters {
	uint32_t count, kinds;
	struct cluster clusters[PROFILE_PHASES_MAX];
};

static void copy(double *to, const uint64_t *from, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		to[i] = (double)from[i];
}

static unsigned int size_column(uint64_t bytes)
{
	double column = bytes > 1 ? 4 * log2((double)bytes) : 0;

	return column < SIZE_COLUMNS - 1 ? (unsigned int)column : SIZE_COLUMNS - 1;
}

static void fill_tables(const struct stream_counts *counts, struct tables *t)
{
	for (struct size_entry *e = counts->sizes.entries; e; e = e->hh.next)
		t->sizes[size_column(e->bytes)] += (double)e->ios;
	for (unsigned int i = 0; i < PROFILE_REUSE_SIZES; i++)
		copy(t->reuse[i], counts->reuse[i], PROFILE_REUSE_OCTAVES);
	copy(t->run_recency, counts->run_recency, PROFILE_RUN_RECENCY_COLUMNS);
	copy(t->run_distance, counts->run_distance, PROFILE_RUN_DISTANCE_COLUMNS);
	copy(t->zones, counts->zones, PROFILE_ZONES);
}

/* Length of the description of what two tables hold together: -n log(share) of each column. */
static double length_of(const double *a, const double *b, unsigned int count)
{
	double sum = 0, length = 0;

	for (unsigned int i = 0; i < count; i++) {
		double n = a[i] + b[i];

		sum += n;
		length -= n > 0 ? n * log(n) : 0;
	}
	return length + (sum > 0 ? sum * log(sum) : 0);
}

static double cost_of(const struct tables *a, const struct tables *b)
{
	double cost = length_of(a->sizes, b->sizes, SIZE_COLUMNS) +
		      length_of(a->run_recency, b->run_recency, PROFILE_RUN_RECENCY_COLUMNS) +
		      length_of(a->run_distance, b->run_distance, PROFILE_RUN_DISTANCE_COLUMNS) +
		      length_of(a->zones, b->zones, PROFILE_ZONES);

	for (unsigned int i = 0; i < PROFILE_REUSE_SIZES; i++)
		cost += length_of(a->reuse[i], b->reuse[i], PROFILE_REUSE_OCTAVES);
	return cost;
}

static double cost_together(const struct clusters *c, const struct cluster *a,
			    const struct cluster *b)
{
	double cost = 0;

	for (uint32_t i = 0; i < c->kinds; i++)
		cost += cost_of(&a->tables[i], &b->tables[i]);
	return cost;
}

static void weigh(struct clusters *c, uint32_t i, uint32_t j)
{
	struct cluster *a = &c->clusters[i], *b = &c->clusters[j];

	if (!a->gone && !b->gone)
		b->more[i] = cost_together(c, a, b) - a->cost - b->cost;
}

/* `from` comes after `into`. */
static void merge(struct clusters *c, uint32_t into, uint32_t from)
{
	struct cluster *a = &c->clusters[into], *b = &c->clusters[from];

	a->cost += b->more[into] + b->cost;
	a->ios += b->ios;
	for (size_t i = 0; i < c->kinds * sizeof(struct tables) / sizeof(double); i++)
		((double *)a->tables)[i] += ((double *)b->tables)[i];
	b->gone = true;
	for (uint32_t i = 0; i < into; i++)
		weigh(c, i, into);
	for (uint32_t j = into + 1; j < c->count; j++)
		weigh(c, into, j);
}

static int fill(const struct stream_kinds *k, uint32_t phases, struct clusters *c)
{
	static const struct tables nothing;

	for (uint32_t i = 0; i < k->count; i++)
		c->kinds += k->kinds[i].folded_into < 0;
	for (uint32_t phase = 0; phase < phases; phase++) {
		struct cluster *to = &c->clusters[c->count++];
		uint32_t kind = 0;

		to->tables = calloc(c->kinds ? c->kinds : 1, sizeof(*to->tables));
		if (!to->tables)
			return -ENOMEM;
		for (uint32_t i = 0; i < k->count; i++) {
			if (k->kinds[i].folded_into >= 0)
				continue;
			if (k->kinds[i].counts[phase]) {
				to->ios += (double)k->kinds[i].counts[phase]->ios;
				fill_tables(k->kinds[i].counts[phase], &to->tables[kind]);
			}
			to->cost += cost_of(&to->tables[kind++], &nothing);
		}
	}
	return 0;
}

/* The two that cost the least together: how much more than alone. */
static double nearest_pair(const struct clusters *c, uint32_t *first, uint32_t *second)
{
	double least = INFINITY;

	for (uint32_t j = 0; j < c->count; j++)
		for (uint32_t i = 0; i < j; i++) {
			if (c->clusters[i].gone || c->clusters[j].gone ||
			    c->clusters[j].more[i] >= least)
				continue;
			least = c->clusters[j].more[i];
			*first = i;
			*second = j;
		}
	return least;
}

/* Numbers the clusters that are left by their first phases. */
static void number(const struct clusters *c, struct regimes *r)
{
	uint32_t regime_of[PROFILE_PHASES_MAX];

	for (uint32_t i = 0; i < c->count; i++) {
		if (c->clusters[i].gone)
			continue;
		r->first[r->count] = i;
		regime_of[i] = r->count++;
	}
	for (uint32_t i = 0; i < c->count; i++)
		r->of[i] = regime_of[r->of[i]];
}

/* Merges the nearest two until those that are left are few and different. */
static void merge_alike(struct clusters *c, uint32_t most, struct regimes *r)
{
	double all_ios = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		all_ios += c->clusters[i].ios;
		r->of[i] = i;
		for (uint32_t j = 0; j < i; j++)
			weigh(c, j, i);
	}
	for (uint32_t left = c->count; left > 1; left--) {
		uint32_t a = 0, b = 0;
		double more = nearest_pair(c, &a, &b);

		if (left <= most && more >= COST_MIN && more >= COST_PER_IO * all_ios)
			break;
		merge(c, a, b);
		for (uint32_t i = 0; i < c->count; i++)
			if (r->of[i] == b)
				r->of[i] = a;
	}
	number(c, r);
}

int regimes_find(const struct stream_kinds *k, uint32_t phases, uint32_t most, struct regimes *r)
{
	struct clusters c = {0};
	int err = fill(k, phases, &c);

	*r = (struct regimes){0};
	if (!err)
		merge_alike(&c, most < REGIMES_MAX ? most : REGIMES_MAX, r);
	for (uint32_t i = 0; i < c.count; i++)
		free(c.clusters[i].tables);
	return err;
}
