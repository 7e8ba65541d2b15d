/* SPDX-License-Identifier: MIT */
/*
 * Keys of a profile's text that hold words, and numbers with units. Readers return 0 or -EINVAL;
 * writers leave the text empty where the key is not written.
 */
#ifndef BLKREEL_PROFILE_TEXT_WORDS_H
#define BLKREEL_PROFILE_TEXT_WORDS_H

#include "profile/text/schema.h"

#define WORD_READER(key) \
	int read_##key(struct parser *r, uint32_t instance, const char *name, const char *value)
#define WORD_WRITER(key) \
	void write_##key(const struct profile *p, uint32_t instance, char text[SCHEMA_TEXT_MAX])

WORD_READER(op);
WORD_READER(flags);
WORD_READER(place);
WORD_READER(size);

WORD_WRITER(version);
WORD_WRITER(sizes_check);
WORD_WRITER(reuse_check);
WORD_WRITER(op);
WORD_WRITER(flags);
WORD_WRITER(place);

/* "1GiB", a whole number of sectors; 0, -EINVAL or -ERANGE. */
int parse_sectors(const char *text, uint64_t *sectors);

#endif
