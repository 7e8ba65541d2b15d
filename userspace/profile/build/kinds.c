// SPDX-License-Identifier: MIT
#include "profile/build/kinds.h"

#include <stddef.h>
#include <stdlib.h>

#include "profile/arithmetic.h"

/* Counts, all of 64 bits, to the end. */
#define COUNTS_AT   offsetof(struct stream_counts, ios)
#define COUNTS_KEPT ((sizeof(struct stream_counts) - COUNTS_AT) / sizeof(uint64_t))

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

uint32_t stream_kinds_find(struct stream_kinds *k, const struct io_row *row,
			   enum submitter submitter, bool sequential, uint32_t space)
{
	uint64_t key = (uint64_t)(row->flags & PROFILE_FLAGS) << 32 | (uint64_t)row->op << 24 |
		       (uint64_t)submitter << 16 | (uint64_t)space << 8 | sequential;

	if (k->recent >= k->count || k->keys[k->recent] != key)
		k->recent = find_kind(k, key, row);
	return k->recent;
}

struct stream_counts *stream_kinds_in(struct stream_kinds *k, uint32_t kind, uint32_t phase)
{
	struct stream_counts **counts = &k->kinds[kind].counts[phase];

	if (!*counts)
		*counts = calloc(1, sizeof(**counts));
	return *counts;
}

static void counts_free(struct stream_counts *counts)
{
	if (counts)
		size_table_release(&counts->sizes);
	free(counts);
}

int stream_counts_merge(struct stream_counts **into, struct stream_counts **from)
{
	int err = 0;

	if (!*from)
		return 0;
	if (!*into) {
		*into = *from;
		*from = NULL;
		return 0;
	}
	add_counts((char *)*into + COUNTS_AT, (const char *)*from + COUNTS_AT, COUNTS_KEPT);
	for (struct size_entry *e = (*from)->sizes.entries; e && !err; e = e->hh.next)
		err = size_table_add(&(*into)->sizes, e->bytes, e->ios);
	counts_free(*from);
	*from = NULL;
	return err;
}

static int fold(struct stream_kinds *k, uint32_t index, int target)
{
	struct stream_kind *from = &k->kinds[index], *into = &k->kinds[target];
	int err = 0;

	from->folded_into = target;
	into->ios += from->ios;
	for (unsigned int i = 0; i < PROFILE_PHASES_MAX && !err; i++)
		err = stream_counts_merge(&into->counts[i], &from->counts[i]);
	return err;
}

/* The smallest that can be folded; -1: none. */
static int smallest(const struct stream_kinds *k)
{
	int found = -1;

	for (uint32_t i = 0; i < k->count; i++) {
		if (k->kinds[i].folded_into >= 0 || nearest(k, &k->kinds[i]) < 0)
			continue;
		if (found < 0 || k->kinds[i].ios < k->kinds[found].ios)
			found = (int)i;
	}
	return found;
}

static void sum_ios(struct stream_kinds *k)
{
	for (uint32_t i = 0; i < k->count; i++)
		for (unsigned int phase = 0; phase < PROFILE_PHASES_MAX; phase++)
			if (k->kinds[i].counts[phase])
				k->kinds[i].ios += k->kinds[i].counts[phase]->ios;
}

int stream_kinds_fold(struct stream_kinds *k, uint64_t ios)
{
	uint32_t left = k->count;
	int err;

	sum_ios(k);
	for (;;) {
		int i = smallest(k), target;

		if (i < 0 ||
		    (left <= PROFILE_STREAMS_MAX && k->kinds[i].ios >= ios / STREAM_RARE_FRACTION))
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

void stream_kinds_release(struct stream_kinds *k)
{
	for (uint32_t i = 0; i < k->count; i++)
		for (unsigned int phase = 0; phase < PROFILE_PHASES_MAX; phase++)
			counts_free(k->kinds[i].counts[phase]);
}
