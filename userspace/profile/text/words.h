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

WORD_READER(level);
WORD_READER(arrival);
WORD_READER(duration);
WORD_READER(begin);
WORD_READER(end);
WORD_READER(space_begin);
WORD_READER(space_end);
WORD_READER(op);
WORD_READER(flags);
WORD_READER(submitter);
WORD_READER(pattern);
WORD_READER(place);
WORD_READER(space);
WORD_READER(size);

WORD_WRITER(version);
WORD_WRITER(level);
WORD_WRITER(arrival);
WORD_WRITER(sizes_check);
WORD_WRITER(reuse_check);
WORD_WRITER(op);
WORD_WRITER(flags);
WORD_WRITER(submitter);
WORD_WRITER(pattern);
WORD_WRITER(place);
WORD_WRITER(space);

#endif
