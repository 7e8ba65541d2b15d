/* SPDX-License-Identifier: MIT */
/* How the lists of a profile's text are written; only save*.c includes it. */
#ifndef BLKREEL_PROFILE_TEXT_SAVE_LIST_H
#define BLKREEL_PROFILE_TEXT_SAVE_LIST_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* A list that goes on in lines of its own, which begin with blanks. */
struct save_list {
	FILE *out;
	int column;
};

struct save_list save_list_begin(FILE *out, const char *key);
void save_list_item(struct save_list *l, const char *text);
void save_list_size(struct save_list *l, uint64_t bytes, uint64_t count); /* "4K:24779" */
void save_list_end(struct save_list *l);

bool save_any(const uint32_t *weights, uint32_t count); /* is not 0 */

/* All of them; nothing where there are none. */
void save_numbers(FILE *out, const char *key, const uint64_t *numbers, uint32_t count);
void save_values(FILE *out, const char *key, const uint32_t *values, uint32_t count);

/* Without the zeros at the end; nothing where all are. */
void save_dense(FILE *out, const char *key, const uint32_t *weights, uint32_t count);

/* The shortest form of pairs, the first index as said; without zeros; nothing where all are. */
void save_sparse(FILE *out, const char *key, const uint32_t *weights, uint32_t count,
		 uint32_t first);

/*
 * Rows of `count` weights one after the other, named as in `names`, or by their number: those that
 * are digits under the key, the others each under "key.row". Nothing of rows where all are 0.
 */
void save_rows(FILE *out, const char *key, const uint32_t *weights, uint32_t count,
	       const unsigned int *names, uint32_t rows);

#endif
