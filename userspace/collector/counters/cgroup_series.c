// SPDX-License-Identifier: MIT
#include "collector/counters/cgroup_series.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

/* What does not belong to the series of a key but to "other": what was counted before it was shown,
 * or, with TALLY_OTHER, by entries that are gone. */
struct base {
	struct tally_cgroup_key key;
	__u64 sums[CGROUP_WORDS_MAX];
	UT_hash_handle hh;
};

struct cgroup_table {
	struct cgroup_places *places;
	unsigned int words;
	struct cgroup_series *series;
	size_t count, allocated;
	struct base *others; /* of this round: key.cgroup is TALLY_OTHER */
	struct base *bases;
	struct base *answered; /* the series in the last answer that had them */
};

int cgroup_table__create(struct cgroup_places *places, unsigned int words,
			 struct cgroup_table **table)
{
	*table = calloc(1, sizeof(**table));
	if (!*table)
		return -ENOMEM;
	(*table)->places = places;
	(*table)->words = words;
	return 0;
}

static void free_bases(struct base **bases)
{
	struct base *base, *next;

	HASH_ITER (hh, *bases, base, next) {
		HASH_DEL(*bases, base);
		free(base);
	}
}

void cgroup_table__free(struct cgroup_table *t)
{
	if (!t)
		return;
	free_bases(&t->others);
	free_bases(&t->bases);
	free_bases(&t->answered);
	free(t->series);
	free(t);
}

static struct base *find_or_add(struct base **bases, const struct tally_cgroup_key *key)
{
	struct base *base;

	HASH_FIND(hh, *bases, key, sizeof(*key), base);
	if (base)
		return base;
	base = calloc(1, sizeof(*base));
	if (!base)
		return NULL;
	base->key = *key;
	HASH_ADD(hh, *bases, key, sizeof(base->key), base);
	return base;
}

static int add_to_other(const struct cgroup_table *t, struct base **bases,
			struct tally_cgroup_key key, const __u64 *sums)
{
	struct base *base;

	key.cgroup = TALLY_OTHER;
	base = find_or_add(bases, &key);
	if (!base)
		return -ENOMEM;
	for (unsigned int i = 0; i < t->words; i++)
		base->sums[i] += sums[i];
	return 0;
}

/* `before` (NULL: nothing) is subtracted. */
static int append(struct cgroup_table *t, const struct cgroup_place *place,
		  const struct tally_cgroup_key *key, const __u64 *sums, const __u64 *before)
{
	struct cgroup_series *series = t->series;

	if (t->count == t->allocated) {
		size_t allocated = t->allocated ? 2 * t->allocated : 64;

		series = realloc(series, allocated * sizeof(*series));
		if (!series)
			return -ENOMEM;
		t->series = series;
		t->allocated = allocated;
	}
	series += t->count++;
	series->place = place;
	series->key = *key;
	for (unsigned int i = 0; i < t->words; i++)
		series->sums[i] = sums[i] - (before ? before[i] : 0);
	return 0;
}

/* Frees what is kept of the entry; leaves `sums` if nothing is. */
static void take(struct base **bases, const struct tally_cgroup_key *key, __u64 *sums)
{
	struct base *base;

	HASH_FIND(hh, *bases, key, sizeof(*key), base);
	if (!base)
		return;
	memcpy(sums, base->sums, sizeof(base->sums));
	HASH_DEL(*bases, base);
	free(base);
}

/* Whoever adds up increases has seen what the last answer showed: "other" gets the rest. */
static int give_up(struct cgroup_table *t, const struct tally_cgroup_key *key, const __u64 *sums)
{
	__u64 before[CGROUP_WORDS_MAX] = {0}, answered[CGROUP_WORDS_MAX] = {0};
	int err;

	take(&t->bases, key, before);
	take(&t->answered, key, answered);
	for (unsigned int i = 0; i < t->words; i++)
		answered[i] = sums[i] - answered[i];
	err = add_to_other(t, &t->bases, *key, answered);
	return err ? err : 1;
}

/* A cgroup that was in "other" until now; what was counted then stays there. */
static int promote(struct cgroup_table *t, const struct tally_cgroup_key *key, const __u64 *sums)
{
	struct base *base = find_or_add(&t->bases, key);

	if (!base)
		return -ENOMEM;
	memcpy(base->sums, sums, t->words * sizeof(*sums));
	return 0;
}

static int show(struct cgroup_table *t, const struct cgroup_place *place,
		const struct tally_cgroup_key *key, const __u64 *sums)
{
	struct base *base;
	int err = 0;

	HASH_FIND(hh, t->bases, key, sizeof(*key), base);
	if (base)
		err = add_to_other(t, &t->others, *key, base->sums);
	return err ? err : append(t, place, key, sums, base ? base->sums : NULL);
}

void cgroup_table__begin(struct cgroup_table *t, uint64_t now_ns)
{
	t->count = 0;
	free_bases(&t->others);
	cgroup_places__refresh(t->places, now_ns);
}

int cgroup_table__add(struct cgroup_table *t, const struct tally_cgroup_key *key, const __u64 *sums)
{
	const struct cgroup_place *place = NULL;
	int err = 0;

	if (key->cgroup == TALLY_OTHER)
		return add_to_other(t, &t->others, *key, sums);
	switch (cgroup_places__find(t->places, key->cgroup, &place)) {
	case CGROUP_PROMOTED:
		err = promote(t, key, sums);
		return err ? err : show(t, place, key, sums);
	case CGROUP_SHOWN:
		return show(t, place, key, sums);
	case CGROUP_GONE:
		return give_up(t, key, sums);
	default:
		return add_to_other(t, &t->others, *key, sums);
	}
}

static int by_cgroup(const void *a, const void *b)
{
	const struct cgroup_series *x = a, *y = b;

	if (x->key.cgroup != y->key.cgroup)
		return x->key.cgroup < y->key.cgroup ? -1 : 1;
	if (x->key.number != y->key.number)
		return x->key.number < y->key.number ? -1 : 1;
	return (x->key.op > y->key.op) - (x->key.op < y->key.op);
}

int cgroup_table__end(struct cgroup_table *t)
{
	struct base *base;
	int err = 0;

	for (base = t->bases; base && !err; base = base->hh.next)
		if (base->key.cgroup == TALLY_OTHER)
			err = add_to_other(t, &t->others, base->key, base->sums);
	for (base = t->others; base && !err; base = base->hh.next)
		err = append(t, NULL, &base->key, base->sums, NULL);
	if (t->count)
		qsort(t->series, t->count, sizeof(*t->series), by_cgroup);
	return err;
}

const struct cgroup_series *cgroup_table__series(const struct cgroup_table *t, size_t *count)
{
	*count = t->count;
	return t->series;
}

int cgroup_table__answered(struct cgroup_table *t)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct cgroup_series *series = &t->series[i];
		struct base *answered;

		if (!series->place)
			continue;
		answered = find_or_add(&t->answered, &series->key);
		if (!answered)
			return -ENOMEM;
		memcpy(answered->sums, series->sums, t->words * sizeof(*series->sums));
	}
	return 0;
}
