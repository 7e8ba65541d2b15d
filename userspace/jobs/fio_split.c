// SPDX-License-Identifier: MIT
#include "jobs/fio_split.h"

#define COUNT_MAX  64
#define SECTOR	   512u
#define BLOCK	   4096u
#define RARE_COUNT 4 /* groups of rare sizes for which there is always room */

void fio_percents(const uint64_t *weights, unsigned int count, unsigned int *pct)
{
	uint64_t sum = 0, rest[COUNT_MAX];
	unsigned int given = 0;

	for (unsigned int i = 0; i < count; i++)
		sum += weights[i];
	for (unsigned int i = 0; i < count; i++) {
		pct[i] = sum ? (unsigned int)(weights[i] * 100 / sum) : 0;
		rest[i] = sum ? weights[i] * 100 % sum : 0;
		given += pct[i];
	}
	for (; sum && given < 100; given++) {
		unsigned int best = 0;

		for (unsigned int i = 1; i < count; i++)
			if (rest[i] > rest[best])
				best = i;
		pct[best]++;
		rest[best] = 0;
	}
}

/* Sizes while they are put together. */
struct groups {
	uint64_t ios[FIO_SIZES], bytes[FIO_SIZES]; /* of all IOs of a group */
	bool is_rare[FIO_SIZES];
	unsigned int count;
};

static void add_group(struct groups *g, uint64_t ios, uint64_t bytes, bool is_rare)
{
	unsigned int at = g->count++;

	/* By their means: a group of rare sizes ends after sizes that it lies below. */
	for (; at && g->bytes[at - 1] / g->ios[at - 1] > bytes / ios; at--) {
		g->ios[at] = g->ios[at - 1];
		g->bytes[at] = g->bytes[at - 1];
		g->is_rare[at] = g->is_rare[at - 1];
	}
	g->ios[at] = ios;
	g->bytes[at] = bytes;
	g->is_rare[at] = is_rare;
}

static void find_groups(const struct profile_stream *s, uint64_t all, struct groups *g)
{
	unsigned int rare_groups = 0;
	uint64_t ios = 0, bytes = 0;

	for (uint32_t i = 0; i < s->size_count; i++) {
		const uint64_t size_ios = s->sizes[i].bytes ? s->sizes[i].ios : 0;
		const uint64_t size_bytes = size_ios * s->sizes[i].bytes;

		if (size_ios && size_ios * 100 >= all && g->count < FIO_SIZES - RARE_COUNT) {
			add_group(g, size_ios, size_bytes, false);
			continue;
		}
		ios += size_ios;
		bytes += size_bytes;
		if (ios * 100 < all || rare_groups == RARE_COUNT - 1)
			continue;
		add_group(g, ios, bytes, true);
		rare_groups++;
		ios = bytes = 0;
	}
	if (ios)
		add_group(g, ios, bytes, true);
}

static uint64_t unit_of(const struct profile_stream *s)
{
	uint64_t unit = BLOCK;

	for (uint32_t i = 0; i < s->size_count; i++)
		while (s->sizes[i].bytes % unit)
			unit = unit == BLOCK ? SECTOR : 1;
	return unit;
}

/* A group without a per cent takes one of the most frequent. */
static void give_each_one(struct fio_split *split)
{
	for (unsigned int i = 0; i < split->count; i++) {
		unsigned int most = 0;

		for (unsigned int j = 1; j < split->count; j++)
			if (split->pct[j] > split->pct[most])
				most = j;
		if (split->pct[i])
			continue;
		split->pct[i] = 1;
		split->pct[most]--;
	}
}

/* The size of group `at` with which the mean of all is `mean_bytes`. */
static double needed_bytes(const struct fio_split *split, unsigned int at, double mean_bytes)
{
	double missing = mean_bytes * 100;

	for (unsigned int i = 0; i < split->count; i++)
		if (i != at)
			missing -= (double)split->pct[i] * (double)split->bytes[i];
	return missing / split->pct[at];
}

/*
 * One group of rare sizes makes up for the rounding: the least frequent one, whose size is rounded
 * with the least effect, that can.
 */
static void make_up(struct fio_split *split, const bool *is_rare, double mean_bytes, uint64_t unit)
{
	int best = -1;

	for (unsigned int i = 0; i < split->count; i++)
		if (is_rare[i] && needed_bytes(split, i, mean_bytes) >= (double)unit &&
		    (best < 0 || split->pct[i] <= split->pct[best]))
			best = (int)i;
	if (best < 0)
		return;
	split->bytes[best] =
		(uint64_t)(needed_bytes(split, (unsigned int)best, mean_bytes) / (double)unit +
			   0.5) *
		unit;
}

void fio_split__of_stream(const struct profile_stream *s, struct fio_split *split)
{
	const uint64_t unit = unit_of(s);
	struct groups g = {.count = 0};
	uint64_t all = 0, bytes = 0;

	for (uint32_t i = 0; i < s->size_count; i++) {
		all += s->sizes[i].bytes ? s->sizes[i].ios : 0;
		bytes += s->sizes[i].ios * s->sizes[i].bytes;
	}
	find_groups(s, all, &g);
	*split = (struct fio_split){.count = g.count};
	fio_percents(g.ios, g.count, split->pct);
	give_each_one(split);
	for (unsigned int i = 0; i < g.count; i++) {
		uint64_t mean = g.bytes[i] / g.ios[i];

		split->bytes[i] = g.is_rare[i] ? (mean < unit ? unit : mean / unit * unit) : mean;
	}
	if (all)
		make_up(split, g.is_rare, (double)bytes / (double)all, unit);
}
