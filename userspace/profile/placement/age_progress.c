// SPDX-License-Identifier: MIT
#include "profile/placement/age_progress.h"

#include <string.h>

#include "base/units.h"
#include "profile/arithmetic.h"
#include "profile/classes.h"

#define BLOCK_ONE (1u << 12)

static void weigh(struct age_progress *a, const struct profile_stream *stream, uint32_t index)
{
	for (unsigned int size = 0; size < PROFILE_REUSE_SIZES; size++) {
		const uint32_t *ages = stream->reuse[size];
		uint64_t sum = sum_of_weights(ages, PROFILE_REUSE_OCTAVES);

		for (unsigned int i = 1; i < PROFILE_REUSE_OCTAVES && sum; i++) {
			a->of_block[index][size][i] =
				(uint32_t)(BLOCK_ONE * (uint64_t)ages[i] / sum);
			if (ages[i] && a->end <= i)
				a->end = i + 1;
		}
	}
}

static void expect(struct age_progress *a, const struct profile_stream *stream, uint32_t index)
{
	for (uint32_t i = 0; i < stream->size_count; i++) {
		const struct profile_size *size = &stream->sizes[i];
		uint64_t blocks = (size->bytes + PAGE_BYTES - 1) / PAGE_BYTES;

		for (unsigned int age = 1; age < a->end && blocks; age++)
			a->round[age] +=
				size->ios * blocks * a->of_block[index][reuse_size(blocks)][age];
	}
}

void age_progress_init(struct age_progress *a, const struct profile *p, uint32_t space)
{
	memset(a, 0, sizeof(*a));
	for (uint32_t i = 0; i < p->stream_count; i++)
		if (p->streams[i].space == space)
			weigh(a, &p->streams[i], i);
	for (uint32_t i = 0; i < p->stream_count; i++)
		expect(a, &p->streams[i], i);
	memcpy(a->all, a->round, sizeof(a->all));
}

void age_progress_restart(struct age_progress *a)
{
	add_counts(a->all, a->round, PROFILE_REUSE_OCTAVES);
}

void age_progress_add(struct age_progress *a, unsigned int stream, uint64_t blocks)
{
	const uint32_t *of_block = a->of_block[stream][reuse_size(blocks)];

	for (unsigned int age = 1; age < a->end; age++)
		a->done[age] += blocks * of_block[age];
}

static uint64_t share(uint64_t done, uint64_t all)
{
	return part_begin(AGE_SHARE_ONE, smaller_of(done, all), all);
}

void age_progress_shares(const struct age_progress *a, uint64_t shares[PROFILE_REUSE_OCTAVES])
{
	uint64_t all = sum_of_counts(a->all, a->end);
	uint64_t of_all = all ? share(sum_of_counts(a->done, a->end), all) : AGE_SHARE_ONE;

	for (unsigned int age = 1; age < PROFILE_REUSE_OCTAVES; age++)
		shares[age] = a->all[age] ? share(a->done[age], a->all[age]) : of_all;
}
