/* SPDX-License-Identifier: MIT */
/* Where a profile touches blocks, and what a cache would miss, as drawings of characters. */
#ifndef BLKREEL_RENDER_PROFILE_TEXT_PLACES_H
#define BLKREEL_RENDER_PROFILE_TEXT_PLACES_H

#include <stdio.h>

#include "profile/profile.h"

/* A line with a bar: `share` is 0 to 1. */
void render_profile_bar(const char *label, double share, FILE *out);

/*
 * Where blocks are touched the first time, of all spaces: what is new to a cache. Nothing where it
 * is not given.
 */
void render_profile_heat(const struct profile *p, FILE *out);

/* The miss curve of each space that says one. */
void render_profile_misses(const struct profile *p, FILE *out);

#endif
