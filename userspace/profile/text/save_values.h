/* SPDX-License-Identifier: MIT */
/* How the keys of a profile's text are written. */
#ifndef BLKREEL_PROFILE_TEXT_SAVE_VALUES_H
#define BLKREEL_PROFILE_TEXT_SAVE_VALUES_H

#include "profile/text/schema.h"

/* Where a key is written; its comment comes before the first line. */
struct saver {
	const struct profile *p;
	FILE *out;
	uint32_t instance;
	const struct schema_row *commented; /* NULL: its comment is written */
};

void save_comment(struct saver *s);

/* The key of a label, in each form that its rows need; nothing where there is nothing to say. */
void save_key(struct saver *s, const struct schema_row *row, uint32_t label);

#endif
