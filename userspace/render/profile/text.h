/* SPDX-License-Identifier: MIT */
/* A profile for people and for machines, and the IOs that it generates. */
#ifndef BLKREEL_RENDER_PROFILE_TEXT_H
#define BLKREEL_RENDER_PROFILE_TEXT_H

#include <stdio.h>

#include "compare/comparison.h"
#include "profile/profile.h"

void render_profile_text(const struct profile *p, const char *path, FILE *out);
int render_profile_json(const struct profile *p, const char *path, FILE *out); /* 0 or -EIO */

/* Mix, sizes, arrivals, addresses and reuse as drawings of characters. */
void render_profile_drawing(const struct profile *p, FILE *out);

/* The kinds of streams of two profiles with their shares. */
void render_profile_diff_streams(const struct profile *a, const struct profile *b, FILE *out);

/* The same with the figures; 0 or -EIO. */
int render_profile_diff_json(const struct comparison *c, const struct profile *a,
			     const struct profile *b, FILE *out);

enum generated_format {
	GENERATED_TEXT = 0,
	GENERATED_CSV,
	GENERATED_JSON, /* one object a line */
};

void render_generated_head(enum generated_format format, FILE *out);
void render_generated_row(enum generated_format format, const struct io_row *row, FILE *out);

#endif
