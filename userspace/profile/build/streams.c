// SPDX-License-Identifier: MIT
#include "profile/build/streams.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/units.h"
#include "profile/classes.h"
#include "profile/weights.h"
#include "workload/figures/measure.h"

#define WEIGHT_SUM    1999
#define SIZE_GROUPS   16   /* of sizes for which there is no room */
#define DENSE	      4	   /* new blocks are more than one in so many */
#define RARE_FRACTION 2000 /* a kind with fewer than one IO in so many is folded */

/* Counts of a kind, all of 64 bits, to its end. */
#define COUNTS_AT   offsetof(struct stream_kind, ios)
#define COUNTS_KEPT ((sizeof(struct stream_kind) - COUNTS_AT) / sizeof(uint64_t))

/* How unlike two kinds are; kinds of different ops are never taken for each other. */
static unsigned int unlikeness(const struct stream_kind *a, const struct stream_kind *b)
{
	uint32_t flags = a->flags ^ b->flags;

	if (a->op != b->op || a->space != b->space)
		return UINT32_MAX;
	return (flags & (IO_FUA | IO_PREFLUSH) ? 1000u : 0u) +
	       (a->sequential != b->sequential ? 100u : 0u) +
	       (a->submitter != b->submitter ? 10u : 0u) + (unsigned int)__builtin_popcount(flags);
}

static int nearest(const struct stream_kinds *k, const struct stream_kind *like)
{
	unsigned int least = UINT32_MAX;
	int best = -1;

	for (uint32_t i = 0; i < k->count; i++) {
		const struct stream_kind *kind = &k->kinds[i];
		unsigned int difference = unlikeness(kind, like);

		if (kind == like || kind->folded_into >= 0 || difference == UINT32_MAX)
			continue;
		if (difference < least || (difference == least && kind->ios > k->kinds[best].ios)) {
			least = difference;
			best = (int)i;
		}
	}
	return best;
}

/* A kind that is not there yet; the nearest one when the table is full. */
static uint32_t add_kind(struct stream_kinds *k, uint64_t key, const struct stream_kind *wanted)
{
	int found = nearest(k, wanted);

	/* The last places are kept so that each op can have one. */
	if (k->count >= STREAM_KINDS_MAX - IO_OP_COUNT * PROFILE_SPACES_MAX && found >= 0)
		return (uint32_t)found;
	k->kinds[k->count] = *wanted;
	k->keys[k->count] = key;
	return k->count++;
}

static uint32_t find_kind(struct stream_kinds *k, uint64_t key, const struct io_row *row)
{
	for (uint32_t i = 0; i < k->count; i++)
		if (k->keys[i] == key)
			return i;
	return add_kind(k, key,
			&(struct stream_kind){
				.op = (enum io_op)row->op,
				.flags = row->flags & PROFILE_FLAGS,
				.submitter = (enum submitter)(key >> 16 & 0xff),
				.sequential = key & 1,
				.space = (uint32_t)(key >> 8 & 0xff),
				.folded_into = -1,
			});
}

struct stream_kind *stream_kinds_get(struct stream_kinds *k, const struct io_row *row,
				     enum submitter submitter, bool sequential, uint32_t space)
{
	uint64_t key = (uint64_t)(row->flags & PROFILE_FLAGS) << 32 | (uint64_t)row->op << 24 |
		       (uint64_t)submitter << 16 | (uint64_t)space << 8 | sequential;

	if (k->recent >= k->count || k->keys[k->recent] != key)
		k->recent = find_kind(k, key, row);
	return &k->kinds[k->recent];
}

static int fold_sizes(struct stream_kind *into, struct stream_kind *from)
{
	for (struct size_entry *e = from->sizes.entries; e; e = e->hh.next) {
		int err = size_table_add(&into->sizes, e->bytes, e->ios);

		if (err)
			return err;
	}
	return 0;
}

static int fold(struct stream_kinds *k, uint32_t index, int target)
{
	struct stream_kind *from = &k->kinds[index], *into = &k->kinds[target];

	from->folded_into = target;
	add_counts((char *)into + COUNTS_AT, (const char *)from + COUNTS_AT, COUNTS_KEPT);
	return fold_sizes(into, from);
}

static int smallest(const struct stream_kinds *k, bool *foldable)
{
	int found = -1;

	for (uint32_t i = 0; i < k->count; i++) {
		if (k->kinds[i].folded_into >= 0 || nearest(k, &k->kinds[i]) < 0)
			continue;
		if (found < 0 || k->kinds[i].ios < k->kinds[found].ios)
			found = (int)i;
	}
	*foldable = found >= 0;
	return found;
}

static int fold_rare(struct stream_kinds *k, uint64_t ios)
{
	uint32_t left = k->count;
	bool foldable;
	int err;

	for (;;) {
		int i = smallest(k, &foldable), target;

		if (!foldable ||
		    (left <= PROFILE_STREAMS_MAX && k->kinds[i].ios >= ios / RARE_FRACTION))
			return 0;
		target = nearest(k, &k->kinds[i]);
		/* Flushes and forced writes are rare and matter: they go only for want of room. */
		if (left <= PROFILE_STREAMS_MAX &&
		    unlikeness(&k->kinds[i], &k->kinds[target]) >= 1000)
			return 0;
		err = fold(k, (uint32_t)i, target);
		if (err)
			return err;
		left--;
	}
}

static int by_ios(const void *a, const void *b)
{
	const struct size_entry *const *left = a, *const *right = b;

	if ((*left)->ios != (*right)->ios)
		return (*left)->ios > (*right)->ios ? -1 : 1;
	return (*left)->bytes < (*right)->bytes ? -1 : 1;
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
static void add_groups(struct profile_stream *stream, struct size_entry **rare, unsigned int count)
{
	uint64_t ios = 0, all = 0, bytes = 0, group_ios = 0;
	unsigned int group = 0;

	for (unsigned int i = 0; i < count; i++)
		all += rare[i]->ios;
	for (unsigned int i = 0; i < count; i++) {
		ios += rare[i]->ios;
		group_ios += rare[i]->ios;
		bytes += rare[i]->ios * rare[i]->bytes;
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

static int by_entry_bytes(const void *a, const void *b)
{
	const struct size_entry *const *left = a, *const *right = b;

	return (*left)->bytes < (*right)->bytes ? -1 : (*left)->bytes > (*right)->bytes;
}

/* The most frequent sizes, and where there are too many, means of the others. */
static int fill_sizes(const struct stream_kind *kind, struct profile_stream *stream)
{
	unsigned int count = HASH_COUNT(kind->sizes.entries), n = 0, kept;
	struct size_entry **sorted = calloc(count ? count : 1, sizeof(*sorted));

	if (!sorted)
		return -ENOMEM;
	for (struct size_entry *e = kind->sizes.entries; e; e = e->hh.next)
		sorted[n++] = e;
	qsort(sorted, count, sizeof(*sorted), by_ios);
	kept = count <= PROFILE_SIZES_MAX ? count : PROFILE_SIZES_MAX - SIZE_GROUPS;
	for (unsigned int i = 0; i < kept; i++)
		stream->sizes[stream->size_count++] =
			(struct profile_size){sorted[i]->bytes, sorted[i]->ios};
	qsort(sorted + kept, count - kept, sizeof(*sorted), by_entry_bytes);
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
static void fill_read_after_write(const struct stream_kind *kind, bool both,
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

static int fill_stream(const struct stream_kinds *k, struct stream_kind *kind,
		       const uint32_t *stream_of, struct profile *p, struct profile_stream *stream)
{
	uint64_t next[PROFILE_STREAMS_MAX] = {0};

	stream->op = kind->op;
	stream->flags = kind->flags;
	stream->submitter = kind->submitter;
	stream->sequential = kind->sequential;
	stream->space = kind->space;
	stream->ios = kind->ios;
	for (unsigned int i = 0; i < PROFILE_PHASES_MAX; i++)
		stream->phases[i] = kind->phases[i];
	for (uint32_t i = 0; i < k->count; i++)
		next[stream_of[i]] += kind->next[i];
	weights_from_counts(next, p->stream_count, WEIGHT_SUM, stream->next);
	for (unsigned int i = 0; i < PROFILE_REUSE_SIZES; i++)
		weights_from_counts(kind->reuse[i], PROFILE_REUSE_OCTAVES, WEIGHT_SUM,
				    stream->reuse[i]);
	weights_from_counts(kind->zones, PROFILE_ZONES, WEIGHT_SUM, stream->zones);
	weights_from_counts(kind->run_distance, PROFILE_RUN_DISTANCE_COLUMNS, WEIGHT_SUM,
			    stream->run_distance);
	weights_from_counts(kind->aligned, PROFILE_ALIGNMENTS, WEIGHT_SUM, stream->aligned);
	weights_from_counts(kind->run_recency, PROFILE_RUN_RECENCY_COLUMNS, WEIGHT_SUM,
			    stream->run_recency);
	if (kind->starts)
		stream->begin_permille = (uint32_t)(kind->begins * 1000 / kind->starts);
	fill_read_after_write(kind, has_op(k, IO_OP_READ) && has_op(k, IO_OP_WRITE), stream);
	fill_permille(kind->straddles, kind->placed, stream->straddle_permille);
	fill_permille(kind->block_ends, kind->broken, stream->block_end_permille);
	return fill_sizes(kind, stream);
}

/* The kinds that stand for themselves, the largest first, then in order of appearance. */
static uint32_t order_kinds(const struct stream_kinds *k, uint32_t *order)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < k->count; i++) {
		uint32_t at = count;

		if (k->kinds[i].folded_into >= 0)
			continue;
		while (at && k->kinds[order[at - 1]].ios < k->kinds[i].ios) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = i;
		count++;
	}
	return count;
}

int stream_kinds_finish(struct stream_kinds *k, struct profile *p)
{
	uint32_t order[STREAM_KINDS_MAX], stream_of[STREAM_KINDS_MAX];
	int err = fold_rare(k, p->ios);

	if (err)
		return err;
	p->stream_count = order_kinds(k, order);
	if (p->stream_count > PROFILE_STREAMS_MAX)
		return -ERANGE;
	for (uint32_t i = 0; i < p->stream_count; i++)
		stream_of[order[i]] = i;
	for (uint32_t i = 0; i < k->count; i++) {
		uint32_t final = i;

		while (k->kinds[final].folded_into >= 0)
			final = (uint32_t)k->kinds[final].folded_into;
		stream_of[i] = stream_of[final];
		k->kinds[i].became = stream_of[final];
	}
	for (uint32_t i = 0; i < p->stream_count && !err; i++)
		err = fill_stream(k, &k->kinds[order[i]], stream_of, p, &p->streams[i]);
	return err;
}

void stream_kinds_release(struct stream_kinds *k)
{
	for (uint32_t i = 0; i < k->count; i++)
		size_table_release(&k->kinds[i].sizes);
}
