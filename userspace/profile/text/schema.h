/* SPDX-License-Identifier: MIT */
/*
 * The tables of a profile's text, a row each: what reads, writes, checks and shortens them, and
 * what docs/profile-format.md is compared with.
 */
#ifndef BLKREEL_PROFILE_TEXT_SCHEMA_H
#define BLKREEL_PROFILE_TEXT_SCHEMA_H

#include <stddef.h>

#include "profile/profile.h"

#define SCHEMA_ROWS_MAX 64
/* Labels of a row times its rows, at most. */
#define SCHEMA_SLOTS_MAX (PROFILE_SPLIT_GROUPS * PROFILE_SPLIT_ROWS)

enum schema_section {
	SCHEMA_ARRIVAL = 0,
	SCHEMA_ADDRESSES, /* of a space */
	SCHEMA_STREAM,
	SCHEMA_CLOSED,
	SCHEMA_TASKS, /* of a kind */
};

enum schema_shape {
	SCHEMA_NUMBER = 0,
	SCHEMA_NUMBERS,
	SCHEMA_PAIRS,
	SCHEMA_ROWS,  /* of weights; each also as numbers under a key of its own */
	SCHEMA_TIMES, /* struct closed_values */
};

/* "key.LABEL": one of `names`, or a number from `first` on. */
struct schema_labels {
	const unsigned int *names;
	uint32_t count, first; /* count 0: the key has no label */
	size_t stride;	       /* from the table of one label to that of the next, in bytes */
};

struct schema_row {
	enum schema_section section;
	const char *key;
	enum schema_shape shape;
	bool weights; /* shortened to a smaller sum, and to digits */
	bool wide;    /* numbers of 64 bits, else of 32 */
	uint32_t count;
	uint64_t min, max;
	size_t at; /* in what the section is about: see schema_object() */
	struct schema_labels labels;
	const unsigned int *row_names;
	uint32_t row_count;
	uint32_t first_index; /* of pairs */
};

/* All rows, in the order of the document; *count is how many. */
const struct schema_row *schema_rows(size_t *count);

/* The row of a key, which must exist; with or without a label. */
const struct schema_row *schema_row(enum schema_section section, const char *key, bool labelled);

/* The table of a label, counted from 0. */
void *schema_table(const struct schema_row *row, struct profile *p, uint32_t instance,
		   uint32_t label);

/* Changes each table of weights of a section's instance. */
void schema_change_weights(struct profile *p, enum schema_section section, uint32_t instance,
			   void (*change)(uint32_t *weights, unsigned int count, uint32_t most),
			   uint32_t most);

#endif
