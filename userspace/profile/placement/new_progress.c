// SPDX-License-Identifier: MIT
#include "profile/placement/new_progress.h"

#include "base/units.h"
#include "profile/arithmetic.h"
#include "profile/classes.h"

#define FILLS_SHARE 16 /* of whose large requests less than one goes to blocks touched before */
#define MEAN_ONE    (1ull << 16)

static bool is_large(uint64_t blocks)
{
	return reuse_size(blocks) == PROFILE_REUSE_SIZES - 1;
}

static uint64_t mean_of(const struct profile_stream *stream)
{
	unsigned __int128 sum = 0;
	uint64_t ios = 0;

	for (uint32_t i = 0; i < stream->size_count; i++) {
		uint64_t blocks = (stream->sizes[i].bytes + PAGE_BYTES - 1) / PAGE_BYTES;

		ios += stream->sizes[i].ios;
		if (blocks && is_large(blocks))
			sum += (unsigned __int128)stream->sizes[i].ios * blocks * MEAN_ONE;
	}
	return ios ? (uint64_t)(sum / ios) : 0;
}

void new_progress_init(struct new_progress *n, const struct profile *p, uint32_t space)
{
	*n = (struct new_progress){.phase = UINT32_MAX};
	for (uint32_t i = 0; i < p->stream_count; i++) {
		const struct profile_stream *stream = &p->streams[i];
		const uint32_t *ages = stream->reuse[PROFILE_REUSE_SIZES - 1];
		uint64_t again = sum_of_weights(ages + 1, PROFILE_REUSE_OCTAVES - 1);

		if (stream->space != space || ages[0] <= again * (FILLS_SHARE - 1))
			continue;
		n->fills[i] = true;
		n->of[i] = stream->op == IO_OP_WRITE && p->spaces[space].written_known;
		n->means[i] = mean_of(stream);
	}
}

void new_progress_begin(struct new_progress *n, const struct profile *p, uint32_t phase)
{
	n->phase = phase;
	for (unsigned int of = 0; of < 2; of++)
		n->done[of] = n->all[of] = 0;
	for (uint32_t i = 0; i < p->stream_count; i++)
		n->all[n->of[i]] += part_begin(p->streams[i].phases[phase], n->means[i], MEAN_ONE);
}

void new_progress_add(struct new_progress *n, unsigned int stream, uint64_t blocks)
{
	if (n->fills[stream] && is_large(blocks))
		n->done[n->of[stream]] += blocks;
}

uint64_t new_progress_due(const struct new_progress *n, bool of_writes, uint64_t blocks,
			  uint64_t done, uint64_t total)
{
	uint64_t all = n->all[of_writes], large = smaller_of(n->done[of_writes], all);

	if (all > blocks)
		return part_begin(blocks, large, all);
	return large + (total ? part_begin(blocks - all, smaller_of(done, total), total) : 0);
}
