/* SPDX-License-Identifier: MIT */
/* Times summed by name and number; at the end those with most time are asked for. */
#ifndef BLKREEL_BASE_NAME_SUMS_H
#define BLKREEL_BASE_NAME_SUMS_H

#include <stdint.h>

#include <uthash.h>

#define NAME_SUMS_MAX	   1024u /* further names are left out */
#define NAME_SUMS_NAME_MAX 48

struct name_sum {
	struct name_sum_key {
		uint32_t number;
		char name[NAME_SUMS_NAME_MAX];
	} key;
	uint64_t ns, count;
	UT_hash_handle hh;
};

/* `sums`: NULL is none. 0 or -ENOMEM. */
int name_sums__add(struct name_sum **sums, uint32_t number, const char *name, uint64_t ns,
		   uint64_t count);
int name_sums__add_all(struct name_sum **sums, const struct name_sum *others);
/* Sorts them, the most time first: walk along ->hh.next. */
void name_sums__sort(struct name_sum **sums);
void name_sums__free(struct name_sum **sums);

#endif
