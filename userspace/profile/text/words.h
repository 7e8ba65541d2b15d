/* SPDX-License-Identifier: MIT */
/* What the rows of the schema name: keys that hold words, comments, and which tables are written. */
#ifndef BLKREEL_PROFILE_TEXT_WORDS_H
#define BLKREEL_PROFILE_TEXT_WORDS_H

#include "profile/text/schema.h"

/* Readers return 0 or -EINVAL; writers leave the text empty where the key is not written. */
#define WORD_READER(key) \
	int read_##key(struct parser *r, uint32_t instance, const char *name, const char *value)
#define WORD_WRITER(key) \
	void write_##key(const struct profile *p, uint32_t instance, char text[SCHEMA_TEXT_MAX])

WORD_READER(op);
WORD_READER(flags);
WORD_READER(place);
WORD_READER(size);
WORD_READER(pinned_bursts);

WORD_WRITER(version);
WORD_WRITER(sizes_check);
WORD_WRITER(reuse_check);
WORD_WRITER(op);
WORD_WRITER(flags);
WORD_WRITER(place);
WORD_WRITER(pinned_bursts);

/* "1GiB", a whole number of sectors; 0, -EINVAL or -ERANGE. */
int parse_sectors(const char *text, uint64_t *sectors);

/* Comments that say figures. */
void say_duration(const struct profile *p, uint32_t instance, FILE *out);
void say_range(const struct profile *p, uint32_t instance, FILE *out);
void say_period(const struct profile *p, uint32_t instance, FILE *out);
void say_windows(const struct profile *p, uint32_t instance, FILE *out);
void say_class_splits(const struct profile *p, uint32_t instance, FILE *out);
void say_pinned_bursts(const struct profile *p, uint32_t instance, FILE *out);
void say_splits_of_others(const struct profile *p, uint32_t instance, FILE *out);
void say_splits_of_reads(const struct profile *p, uint32_t instance, FILE *out);
void say_splits_of_all(const struct profile *p, uint32_t instance, FILE *out);
void say_share(const struct profile *p, uint32_t stream, FILE *out);

bool reads_are_known(const struct profile *p, uint32_t instance, uint32_t label);
bool has_class(const struct profile *p, uint32_t instance, uint32_t class);
bool has_shift(const struct profile *p, uint32_t instance, uint32_t label);
bool has_peak_cap(const struct profile *p, uint32_t instance, uint32_t label);
bool has_range(const struct profile *p, uint32_t space, uint32_t label);
bool has_distances(const struct profile *p, uint32_t space, uint32_t label);
bool phases_hold_all(const struct profile *p, uint32_t stream, uint32_t label);

#endif
