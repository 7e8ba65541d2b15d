/* SPDX-License-Identifier: MIT */
/* Reads the tables that the schema has. */
#ifndef BLKREEL_PROFILE_TEXT_PARSE_TABLE_H
#define BLKREEL_PROFILE_TEXT_PARSE_TABLE_H

#include "profile/text/parser.h"

/* A key of a section's instance, counted from 0; one that is in no row is refused. 0 or -EINVAL. */
int parse_table(struct parser *r, enum schema_section section, uint32_t instance,
		const char *section_name, const char *name, const char *value);

/* How many values a key has so far; label -1: the key without a label. */
uint32_t *parse_filled(struct parser *r, enum schema_section section, const char *key,
		       uint32_t instance, int label);

#endif
