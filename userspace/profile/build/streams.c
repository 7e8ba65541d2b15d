// SPDX-License-Identifier: MIT
#include "profile/build/streams.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "profile/build/regimes.h"
#include "profile/classes.h"
#include "profile/weights.h"
#include "workload/figures/measure.h"
#include "workload/figures/recent_ends.h"

#define WEIGHT_SUM  1999
#define ALIKE	    0.05 /* distance of two distributions (Kolmogorov-Smirnov) */
#define SIZE_GROUPS 16	 /* of sizes for which there is no room */

static int by_ios(const void *a, const void *b)
{
	const struct profile_size *left = a, *right = b;

	if (left->ios != right->ios)
		return left->ios > right->ios ? -1 : 1;
	return left->bytes < right->bytes ? -1 : 1;
}

static int by_bytes(const void *a, const void *b)
{
	const struct profile_size *left = a, *right = b;

	return left->bytes < right->bytes ? -1 : left->bytes > right->bytes;
}

static void add_size(struct profile_stream *stream, uint64_t bytes, uint64_t ios)
{
	for (uint32_t i = 0; i < stream->size_count; i++) {
		if (stream->sizes[i].bytes != bytes)
			continue;
		stream->sizes[i].ios += ios;
		return;
	}
	stream->sizes[stream->size_count++] = (struct profile_size){bytes, ios};
}

/*
 * Merges rare sizes, by rising bytes, into groups of about as many IOs; each group has its mean
 * size.
 */
static void add_groups(struct profile_stream *stream, const struct profile_size *rare,
		       unsigned int count)
{
	uint64_t ios = 0, all = 0, bytes = 0, group_ios = 0;
	unsigned int group = 0;

	for (unsigned int i = 0; i < count; i++)
		all += rare[i].ios;
	for (unsigned int i = 0; i < count; i++) {
		ios += rare[i].ios;
		group_ios += rare[i].ios;
		bytes += rare[i].ios * rare[i].bytes;
		if (i + 1 < count && ios < part_begin(all, group + 1, SIZE_GROUPS))
			continue;
		bytes = (bytes / group_ios + SECTOR_BYTES / 2) / SECTOR_BYTES * SECTOR_BYTES;
		add_size(stream, bytes ? bytes : SECTOR_BYTES, group_ios);
		bytes = group_ios = 0;
		for (; group < SIZE_GROUPS && ios >= part_begin(all, group + 1, SIZE_GROUPS);
		     group++)
			;
	}
}

/* The most frequent sizes, and where there are too many, means of the others. */
static int fill_sizes(const struct stream_counts *kind, struct profile_stream *stream)
{
	unsigned int count = HASH_COUNT(kind->sizes.entries), n = 0, kept;
	struct profile_size *sorted = calloc(count ? count : 1, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (struct size_entry *e = kind->sizes.entries; e; e = e->hh.next)
		sorted[n++] = (struct profile_size){e->bytes, e->ios};
	qsort(sorted, count, sizeof(*sorted), by_ios);
	kept = count <= PROFILE_SIZES_MAX ? count : PROFILE_SIZES_MAX - SIZE_GROUPS;
	memcpy(stream->sizes, sorted, kept * sizeof(*sorted));
	stream->size_count = kept;
	qsort(sorted + kept, count - kept, sizeof(*sorted), by_bytes);
	add_groups(stream, sorted + kept, count - kept);
	free(sorted);
	qsort(stream->sizes, stream->size_count, sizeof(stream->sizes[0]), by_bytes);
	return 0;
}

_Static_assert(PROFILE_REUSE_AGES == PROFILE_REUSE_SIZES, "chances by age and by size");

static void fill_permille(const uint64_t *counts, const uint64_t *of, uint32_t *permille)
{
	for (unsigned int c = 0; c < PROFILE_REUSE_SIZES; c++)
		if (of[c])
			permille[c] = (uint32_t)((counts[c] * 1000 + of[c] / 2) / of[c]);
}

/* Where there are both reads and writes. */
static void fill_read_after_write(const struct stream_counts *kind, bool both,
				  struct profile_stream *stream)
{
	for (unsigned int age = 0; both && age < PROFILE_REUSE_AGES; age++)
		stream->read_after_write_known |= kind->again[age] > 0;
	if (stream->read_after_write_known)
		fill_permille(kind->by_other_op, kind->again, stream->read_after_write_permille);
}

static bool has_op(const struct stream_kinds *k, enum io_op op)
{
	for (uint32_t i = 0; i < k->count; i++)
		if (k->kinds[i].op == op)
			return true;
	return false;
}

/* The share of starts within `blocks` of an end, if both are drawn from the zones. */
static double expected_within(const uint64_t zones[PROFILE_ZONES], double zone_blocks,
			      double blocks)
{
	const double all = (double)sum_of_counts(zones, PROFILE_ZONES);
	double within = 0;

	for (unsigned int i = 0; i < PROFILE_ZONES; i++) {
		double share = (double)zones[i] / all;

		within -= share * expm1(-2 * RECENT_ENDS * share * blocks / zone_blocks);
	}
	return within;
}

bool is_near_by_chance(const uint64_t run_distance[PROFILE_RUN_DISTANCE_COLUMNS],
		       const uint64_t zones[PROFILE_ZONES], double zone_blocks)
{
	const double starts = (double)sum_of_counts(run_distance, PROFILE_RUN_DISTANCE_COLUMNS);
	double within = 0;

	for (unsigned int bits = 0; bits <= PROFILE_RUN_DISTANCE_OCTAVES; bits++) {
		uint64_t blocks = 1ull << bits;

		within += (double)run_distance[run_distance_column(true, blocks - 1)];
		if (bits)
			within += (double)run_distance[run_distance_column(false, blocks - 1)];
		if (fabs(within / starts - expected_within(zones, zone_blocks, (double)blocks)) >
		    ALIKE)
			return false;
	}
	return starts > 0;
}

/* A stream to be: what was counted of a kind in a regime. */
struct part {
	uint32_t kind, regime;
	const struct stream_counts *counts;
};

/* The parts, the largest first, then in order of appearance; and which one each kind has where. */
struct parts {
	uint32_t count;
	struct part parts[PROFILE_STREAMS_MAX];
	uint32_t of[REGIMES_MAX][STREAM_KINDS_MAX];
};

static double zone_blocks(const struct profile *p, uint32_t space)
{
	const struct profile_space *one = &p->spaces[space];
	uint64_t sectors = one->end_sector ? one->end_sector - one->first_sector
					   : p->end_sector - p->first_sector;

	return (double)sectors / BLOCK_SECTORS / PROFILE_ZONES;
}

static int fill_stream(const struct stream_kinds *k, const struct part *part,
		       const struct parts *parts, struct profile *p, struct profile_stream *stream)
{
	const struct stream_kind *kind = &k->kinds[part->kind];
	const struct stream_counts *counts = part->counts;
	uint64_t next[PROFILE_STREAMS_MAX] = {0};

	stream->op = kind->op;
	stream->flags = kind->flags;
	stream->submitter = kind->submitter;
	stream->sequential = kind->sequential;
	stream->space = kind->space;
	stream->ios = counts->ios;
	memcpy(stream->phases, counts->phases, sizeof(stream->phases));
	for (uint32_t i = 0; i < k->count; i++)
		next[parts->of[part->regime][i]] += counts->next[i];
	weights_from_counts(next, p->stream_count, WEIGHT_SUM, stream->next);
	for (unsigned int i = 0; i < PROFILE_REUSE_SIZES; i++)
		weights_from_counts(counts->reuse[i], PROFILE_REUSE_OCTAVES, WEIGHT_SUM,
				    stream->reuse[i]);
	weights_from_counts(counts->zones, PROFILE_ZONES, WEIGHT_SUM, stream->zones);
	if (is_near_by_chance(counts->run_distance, counts->zones, zone_blocks(p, kind->space)))
		stream->run_distance[0] = 1;
	else
		weights_from_counts(counts->run_distance, PROFILE_RUN_DISTANCE_COLUMNS, WEIGHT_SUM,
				    stream->run_distance);
	weights_from_counts(counts->aligned, PROFILE_ALIGNMENTS, WEIGHT_SUM, stream->aligned);
	weights_from_counts(counts->run_recency, PROFILE_RUN_RECENCY_COLUMNS, WEIGHT_SUM,
			    stream->run_recency);
	if (counts->starts)
		stream->begin_permille = (uint32_t)(counts->begins * 1000 / counts->starts);
	fill_read_after_write(counts, has_op(k, IO_OP_READ) && has_op(k, IO_OP_WRITE), stream);
	fill_permille(counts->straddles, counts->placed, stream->straddle_permille);
	fill_permille(counts->block_ends, counts->broken, stream->block_end_permille);
	return fill_sizes(counts, stream);
}

/* The counts of the phases of each regime go where those of its first phase are. */
static int merge_phases(struct stream_kind *kind, const struct regimes *r)
{
	int err = 0;

	for (uint32_t phase = 0; phase < PROFILE_PHASES_MAX && !err; phase++) {
		uint32_t first = r->first[r->of[phase]];

		if (first != phase)
			err = stream_counts_merge(&kind->counts[first], &kind->counts[phase]);
	}
	return err;
}

static uint32_t largest_regime(const struct stream_kind *kind, const struct regimes *r)
{
	uint32_t largest = 0;
	uint64_t most = 0;

	for (uint32_t i = 0; i < r->count; i++) {
		const struct stream_counts *counts = kind->counts[r->first[i]];

		if (!counts || counts->ios <= most)
			continue;
		most = counts->ios;
		largest = i;
	}
	return largest;
}

static void add_part(struct parts *parts, const struct part *part)
{
	uint32_t at = parts->count++;

	while (at && parts->parts[at - 1].counts->ios < part->counts->ios) {
		parts->parts[at] = parts->parts[at - 1];
		at--;
	}
	parts->parts[at] = *part;
}

/* A regime in which the kind is rare joins the one in which it is not. */
static int add_parts(struct stream_kinds *k, uint32_t index, const struct regimes *r,
		     uint64_t least, struct parts *parts)
{
	struct stream_kind *kind = &k->kinds[index];
	uint32_t largest = largest_regime(kind, r);
	int err = 0;

	for (uint32_t i = 0; i < r->count && !err; i++) {
		struct stream_counts **counts = &kind->counts[r->first[i]];

		if (i != largest && *counts && (*counts)->ios < least)
			err = stream_counts_merge(&kind->counts[r->first[largest]], counts);
	}
	for (uint32_t i = 0; i < r->count && !err; i++)
		if (kind->counts[r->first[i]])
			add_part(parts, &(struct part){index, i, kind->counts[r->first[i]]});
	return err;
}

/* Where a kind has no part in a regime, its largest is meant. */
static void find_parts(const struct stream_kinds *k, const uint32_t *became, struct parts *parts)
{
	for (uint32_t i = 0; i < k->count; i++) {
		for (uint32_t at = parts->count; at--;)
			if (parts->parts[at].kind == became[i])
				for (uint32_t regime = 0; regime < REGIMES_MAX; regime++)
					parts->of[regime][i] = at;
		for (uint32_t at = 0; at < parts->count; at++)
			if (parts->parts[at].kind == became[i])
				parts->of[parts->parts[at].regime][i] = at;
	}
}

int stream_kinds_finish(struct stream_kinds *k, struct profile *p,
			uint32_t kind_of[PROFILE_STREAMS_MAX], uint32_t became[STREAM_KINDS_MAX])
{
	struct parts parts = {0};
	struct regimes regimes;
	uint32_t alone = 0;
	int err;

	err = stream_kinds_fold(k, p->ios);
	for (uint32_t i = 0; i < k->count; i++) {
		alone += k->kinds[i].folded_into < 0;
		for (became[i] = i; k->kinds[became[i]].folded_into >= 0;)
			became[i] = (uint32_t)k->kinds[became[i]].folded_into;
	}
	if (!err && alone > PROFILE_STREAMS_MAX)
		return -ERANGE;
	err = err
		      ?: regimes_find(k, p->phase_count, alone ? PROFILE_STREAMS_MAX / alone : 1,
				      &regimes);
	for (uint32_t i = 0; i < k->count && !err; i++)
		if (k->kinds[i].folded_into < 0)
			err = merge_phases(&k->kinds[i], &regimes)
				      ?: add_parts(k, i, &regimes, p->ios / STREAM_RARE_FRACTION,
						   &parts);
	if (err)
		return err;
	find_parts(k, became, &parts);
	p->stream_count = parts.count;
	for (uint32_t i = 0; i < parts.count && !err; i++) {
		kind_of[i] = parts.parts[i].kind;
		err = fill_stream(k, &parts.parts[i], &parts, p, &p->streams[i]);
	}
	return err;
}
