// SPDX-License-Identifier: MIT
#include "workload/figures/mrc.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "workload/lru/lru_stack.h"

struct mrc {
	struct lru_stack *stack;
	uint32_t exact_blocks;
	unsigned int sample_bits;
	uint64_t references; /* all counts are weighted by the sampling rate of their time */
	uint64_t cold;
	uint64_t hits[MRC_POINTS]; /* by the smallest point whose cache holds the block */
};

int mrc__create(uint32_t exact_blocks, struct mrc **mrc)
{
	struct mrc *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->exact_blocks = exact_blocks;
	if (lru_stack__create(&m->stack)) {
		free(m);
		return -ENOMEM;
	}
	*mrc = m;
	return 0;
}

void mrc__free(struct mrc *m)
{
	if (!m)
		return;
	lru_stack__free(m->stack);
	free(m);
}

uint64_t mrc_point_blocks(unsigned int point)
{
	if (point < 4)
		return point + 1;
	return (5ull + (point & 3)) << (point / 4 - 1);
}

static unsigned int point_above(uint64_t distance)
{
	unsigned int low = 0, high = MRC_POINTS - 1;

	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (mrc_point_blocks(middle) > distance)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool is_sampled(uint64_t block, void *context)
{
	const struct mrc *m = context;

	return mrc_is_sampled(block, m->sample_bits);
}

int mrc__touch(struct mrc *m, uint64_t block)
{
	uint64_t distance;
	int err;

	if (!is_sampled(block, m))
		return 0;
	err = lru_stack__touch(m->stack, block, &distance);
	if (err)
		return err;
	m->references += 1ull << m->sample_bits;
	if (distance == LRU_COLD)
		m->cold += 1ull << m->sample_bits;
	else
		m->hits[point_above(distance << m->sample_bits)] += 1ull << m->sample_bits;
	while (!err && lru_stack__blocks(m->stack) > m->exact_blocks && m->sample_bits < 31) {
		m->sample_bits++;
		err = lru_stack__filter(m->stack, is_sampled, m);
	}
	return err;
}

void mrc__curve(const struct mrc *m, struct mrc_curve *curve)
{
	uint64_t misses = m->references;

	curve->references = m->references;
	curve->footprint_blocks = m->cold;
	curve->sampled_one_block_in = 1u << m->sample_bits;
	for (unsigned int i = 0; i < MRC_POINTS; i++) {
		misses -= m->hits[i];
		curve->miss_ratio[i] = m->references ? (double)misses / (double)m->references : 0.0;
	}
}

double mrc_curve_distance(const struct mrc_curve *a, const struct mrc_curve *b)
{
	uint64_t most = a->footprint_blocks > b->footprint_blocks ? a->footprint_blocks
								  : b->footprint_blocks;
	double sum = 0;
	unsigned int points = 0;

	while (points < MRC_POINTS) {
		sum += fabs(a->miss_ratio[points] - b->miss_ratio[points]);
		points++;
		if (mrc_point_blocks(points - 1) >= most)
			break;
	}
	return sum / points;
}
