// SPDX-License-Identifier: MIT
#include "base/name_sums.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int name_sums__add(struct name_sum **sums, uint32_t number, const char *name, uint64_t ns,
		   uint64_t count)
{
	struct name_sum_key key;
	struct name_sum *sum;

	memset(&key, 0, sizeof(key)); /* compared as bytes */
	key.number = number;
	snprintf(key.name, sizeof(key.name), "%s", name);
	HASH_FIND(hh, *sums, &key, sizeof(key), sum);
	if (!sum) {
		if (HASH_COUNT(*sums) == NAME_SUMS_MAX)
			return 0;
		sum = calloc(1, sizeof(*sum));
		if (!sum)
			return -ENOMEM;
		sum->key = key;
		HASH_ADD(hh, *sums, key, sizeof(sum->key), sum);
	}
	sum->ns += ns;
	sum->count += count;
	return 0;
}

int name_sums__add_all(struct name_sum **sums, const struct name_sum *others)
{
	int err = 0;

	for (; others && !err; others = others->hh.next)
		err = name_sums__add(sums, others->key.number, others->key.name, others->ns,
				     others->count);
	return err;
}

static int by_time(const struct name_sum *a, const struct name_sum *b)
{
	return (a->ns < b->ns) - (a->ns > b->ns);
}

void name_sums__sort(struct name_sum **sums)
{
	HASH_SORT(*sums, by_time);
}

void name_sums__free(struct name_sum **sums)
{
	struct name_sum *sum, *next;

	HASH_ITER (hh, *sums, sum, next) {
		HASH_DEL(*sums, sum);
		free(sum);
	}
}
