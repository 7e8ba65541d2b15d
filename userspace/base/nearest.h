/* SPDX-License-Identifier: MIT */
/* Which known word a user may have meant. */
#ifndef BLKREEL_BASE_NEAREST_H
#define BLKREEL_BASE_NEAREST_H

#include <stdbool.h>

#define NEAREST_WORD_MAX 63 /* bytes of a word that are looked at */

/*
 * How many letters have to be added, removed, replaced or swapped with their neighbour to turn `a`
 * into `b` (the optimal string alignment distance). Longer words are infinitely far.
 */
unsigned int word_distance(const char *a, const char *b);

/* `name` is as near to `word` as a typing error: one change for up to five letters, two beyond. */
bool is_near(const char *word, const char *name);

#endif
