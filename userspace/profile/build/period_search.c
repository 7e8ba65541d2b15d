// SPDX-License-Identifier: MIT
#include "profile/build/period_search.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/arithmetic.h"
#include "profile/arrival/split_rows.h"

/*
 * A candidate is LAG_MIN to LAG_MAX - 1 bins long, of bins that become twice as long from one
 * scale to the next.
 */
#define LAG_MIN	     32u
#define LAG_MAX	     64u
#define LAG_FIRST    (LAG_MIN / 2) /* of those that it is compared with */
#define LAGS	     (LAG_MAX - LAG_FIRST)
#define SCALES	     20
#define WINDOWS_MAX  8	 /* that a period is long: windows tell of longer ones */
#define PERIODS_MIN  16	 /* of the trace */
#define RISES_BY     0.1 /* autocorrelation of a period, above that of all lags around */
#define AS_GOOD	     0.6 /* a shorter period is taken if it rises by so much of the highest */
#define HOLDS	     0.3 /* of its autocorrelation, for further periods away */
#define SHARE_MIN    0.1 /* of the variance of bins, that the shape of the other half explains */
#define WEIGHT_MOST  255
#define SHIFT_ROUNDS 2

/* Bins of one scale. */
struct bins {
	const uint32_t *ios;
	uint64_t count;
	double mean, variance;
};

static void summarize(struct bins *b)
{
	double sum = 0, squares = 0;

	for (uint64_t i = 0; i < b->count; i++) {
		sum += b->ios[i];
		squares += (double)b->ios[i] * b->ios[i];
	}
	b->mean = sum / (double)b->count;
	b->variance = squares / (double)b->count - b->mean * b->mean;
}

/* Joins two bins each. */
static uint64_t halve(const uint32_t *from, uint64_t count, uint32_t *into)
{
	for (uint64_t i = 0; i + 1 < count; i += 2)
		into[i / 2] = from[i] + from[i + 1];
	return count / 2;
}

static double correlation_of(const struct bins *b, double products, uint64_t pairs)
{
	return b->variance > 0 && pairs
		       ? (products / (double)pairs - b->mean * b->mean) / b->variance
		       : 0;
}

static double autocorrelation(const struct bins *b, uint64_t lag)
{
	uint64_t n = b->count - lag;
	double sum = 0;

	for (uint64_t i = 0; i < n; i++)
		if (b->ios[i])
			sum += (double)b->ios[i] * b->ios[i + lag];
	return correlation_of(b, sum, n);
}

/* Those of the lags LAG_FIRST to LAG_MAX - 1 at once: few bins have IOs. */
static void autocorrelations(const struct bins *b, double correlations[LAGS])
{
	uint64_t n = b->count - LAG_MAX;
	uint64_t sums[LAGS] = {0};

	for (uint64_t i = 0; i < n; i++) {
		uint64_t own = b->ios[i];

		for (unsigned int lag = 0; own && lag < LAGS; lag++)
			sums[lag] += own * b->ios[i + LAG_FIRST + lag];
	}
	for (unsigned int lag = 0; lag < LAGS; lag++)
		correlations[lag] = correlation_of(b, (double)sums[lag], n);
}

struct candidate {
	double bins;	    /* of its scale */
	unsigned int scale; /* a bin is 2^scale parts */
	double correlation, rise;
};

/* The best lag of a scale. */
static struct candidate best_of(const struct bins *b, unsigned int scale, uint64_t longest)
{
	uint64_t end = smaller_of(LAG_MAX, longest + 1);
	struct candidate best = {.scale = scale, .correlation = -1};
	double correlations[LAGS], around = 0;

	autocorrelations(b, correlations);
	for (uint64_t lag = LAG_FIRST; lag < end; lag++) {
		double correlation = correlations[lag - LAG_FIRST];

		around += correlation / (double)(end - LAG_FIRST);
		if (lag < LAG_MIN || correlation <= best.correlation)
			continue;
		best.correlation = correlation;
		best.bins = (double)lag;
	}
	best.rise = best.correlation - around;
	return best;
}

/* The length by the last of 2, 4, 8 ... periods that is as like as it should be. */
static void refine(const struct bins *b, struct candidate *c)
{
	uint64_t lag = (uint64_t)c->bins, periods = 1;

	while (2 * lag + 2 < b->count / 2) {
		uint64_t best = 0;
		double most = HOLDS * c->correlation;

		for (uint64_t next = 2 * lag - 2; next <= 2 * lag + 2; next++) {
			double correlation = autocorrelation(b, next);

			if (correlation <= most)
				continue;
			most = correlation;
			best = next;
		}
		if (!best)
			break;
		lag = best;
		periods *= 2;
		c->bins = (double)lag / (double)periods;
	}
}

/* Mean IOs of a bin by its part of the period, of the bins [from, to). */
struct fold {
	double sums[PROFILE_PERIOD_PARTS];
	uint64_t bins[PROFILE_PERIOD_PARTS];
};

static void fold_more(const struct bins *b, double period, uint64_t from, uint64_t to,
		      uint32_t shift, struct fold *f)
{
	double step = 1 / period, at = fmod(((double)from + 0.5) * step, 1);

	for (uint64_t i = from; i < to; i++, at += step) {
		unsigned int part;

		at -= at >= 1;
		part = (unsigned int)(at * PROFILE_PERIOD_PARTS) + shift;
		part %= PROFILE_PERIOD_PARTS;
		f->sums[part] += b->ios[i];
		f->bins[part]++;
	}
}

static void fold(const struct bins *b, double period, uint64_t from, uint64_t to, struct fold *f)
{
	*f = (struct fold){0};
	fold_more(b, period, from, to, 0, f);
}

static double mean_off(const struct bins *b, const struct fold *f, unsigned int part)
{
	return f->bins[part] ? f->sums[part] / (double)f->bins[part] - b->mean : 0;
}

/* How much of the variance the mean of each part explains, of the bins of one half by the other. */
static double explained(const struct bins *b, double period)
{
	struct fold first, second;
	double sum = 0, bins = 0;

	fold(b, period, 0, b->count / 2, &first);
	fold(b, period, b->count / 2, b->count, &second);
	for (unsigned int i = 0; i < PROFILE_PERIOD_PARTS; i++) {
		double weight = (double)(first.bins[i] + second.bins[i]);

		sum += weight * mean_off(b, &first, i) * mean_off(b, &second, i);
		bins += weight;
	}
	return b->variance > 0 ? sum / bins / b->variance : 0;
}

/* Of the whole, the phases shifted. */
static void fold_phases(const struct bins *b, double period, const uint32_t *shift, uint32_t phases,
			struct fold *f)
{
	*f = (struct fold){0};
	for (uint32_t i = 0; i < phases; i++)
		fold_more(b, period, part_begin(b->count, i, phases),
			  part_begin(b->count, i + 1ull, phases), shift[i], f);
}

/* How far a phase is ahead: where its parts are most like those of the whole. */
static uint32_t best_shift(const struct bins *b, const struct fold *whole, const struct fold *phase)
{
	uint32_t best = 0;
	double most = 0;

	for (uint32_t shift = 0; shift < PROFILE_PERIOD_PARTS; shift++) {
		double sum = 0;

		for (unsigned int i = 0; i < PROFILE_PERIOD_PARTS; i++)
			sum += mean_off(b, phase, i) *
			       mean_off(b, whole, (i + shift) % PROFILE_PERIOD_PARTS);
		if (sum <= most)
			continue;
		most = sum;
		best = shift;
	}
	return best;
}

/* A timer drifts: each phase has its own begin. */
static void find_shifts(const struct bins *b, double period, uint32_t phases, uint32_t *shift)
{
	struct fold whole, phase;

	for (unsigned int round = 0; round < SHIFT_ROUNDS; round++) {
		fold_phases(b, period, shift, phases, &whole);
		for (uint32_t i = 0; i < phases; i++) {
			fold(b, period, part_begin(b->count, i, phases),
			     part_begin(b->count, i + 1ull, phases), &phase);
			shift[i] = best_shift(b, &whole, &phase);
		}
	}
}

static void fill_shape(const struct bins *b, double period, const uint32_t *shift, uint32_t phases,
		       uint32_t *shape)
{
	double most = 0;
	struct fold f;

	fold_phases(b, period, shift, phases, &f);
	for (unsigned int i = 0; i < PROFILE_PERIOD_PARTS; i++)
		most = fmax(most, f.bins[i] ? f.sums[i] / (double)f.bins[i] : 0);
	for (unsigned int i = 0; i < PROFILE_PERIOD_PARTS; i++) {
		double mean = f.bins[i] ? f.sums[i] / (double)f.bins[i] : 0;

		shape[i] = (uint32_t)fmax(mean / most * WEIGHT_MOST, 1);
	}
}

/* The shortest candidate that rises nearly as far as the best; its `bins` 0: there is none. */
static struct candidate find(const struct coarse_counts *counts, uint32_t *ios)
{
	uint64_t parts = (uint64_t)counts->windows << counts->level;
	uint64_t longest = smaller_of(parts / PERIODS_MIN, (uint64_t)WINDOWS_MAX << counts->level);
	struct bins bins = {.ios = counts->all, .count = parts};
	struct candidate found[SCALES] = {0};
	double most = RISES_BY;

	for (unsigned int scale = 1; scale < SCALES && longest >> scale >= LAG_MIN; scale++) {
		bins.count = halve(bins.ios, bins.count, ios);
		bins.ios = ios;
		summarize(&bins);
		found[scale] = best_of(&bins, scale, longest >> scale);
		most = fmax(most, found[scale].rise);
	}
	for (unsigned int scale = 1; scale < SCALES; scale++)
		if (found[scale].rise >= AS_GOOD * most && found[scale].rise >= RISES_BY)
			return found[scale];
	return (struct candidate){0};
}

/* IOs of a kind, in bins of a scale; into `ios`. */
static struct bins bins_of(const struct coarse_counts *counts, enum io_kind kind,
			   unsigned int scale, uint32_t *ios)
{
	struct bins bins = {.ios = ios, .count = (uint64_t)counts->windows << counts->level};

	for (uint64_t i = 0; i < bins.count; i++)
		ios[i] = kind == KIND_ALL     ? counts->all[i]
			 : kind == KIND_READS ? counts->reads[i]
					      : counts->all[i] - counts->reads[i];
	while (scale--)
		bins.count = halve(ios, bins.count, ios);
	summarize(&bins);
	return bins;
}

static void fill(const struct coarse_counts *counts, struct candidate c, uint64_t duration_ns,
		 uint32_t phases, uint32_t *ios, struct profile_arrival *arrival)
{
	struct bins bins = bins_of(counts, KIND_ALL, c.scale, ios);
	uint32_t shift[PROFILE_PHASES_MAX] = {0};
	double parts;

	refine(&bins, &c);
	find_shifts(&bins, c.bins, phases, shift);
	parts = c.bins * (double)(1u << c.scale);
	for (enum io_kind k = 0; k < KINDS; k++) {
		bins = bins_of(counts, k, c.scale, ios);
		if (explained(&bins, c.bins) < SHARE_MIN)
			continue;
		bins = bins_of(counts, k, 0, ios);
		fill_shape(&bins, parts, shift, phases, arrival->splits[k].period_shape);
		arrival->period_ns = (uint64_t)((double)duration_ns / (double)bins.count * parts);
		memcpy(arrival->period_shift, shift, sizeof(shift));
	}
}

int period_search(const struct coarse_counts *counts, uint64_t duration_ns, uint32_t phases,
		  struct profile_arrival *arrival)
{
	uint64_t count = (uint64_t)counts->windows << counts->level;
	uint32_t *ios = calloc(count + 1, sizeof(*ios));
	struct candidate c;

	if (!ios)
		return -ENOMEM;
	c = find(counts, ios);
	if (c.bins > 0)
		fill(counts, c, duration_ns, phases, ios, arrival);
	free(ios);
	return 0;
}
