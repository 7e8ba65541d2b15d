/* SPDX-License-Identifier: MIT */
/* What the readers of a profile's text share. */
#ifndef BLKREEL_PROFILE_TEXT_PARSER_H
#define BLKREEL_PROFILE_TEXT_PARSER_H

#include "profile/profile.h"
#include "profile/text/schema.h"

/* Where the INI reader is, which does not number lines. */
struct parse_lines {
	const char *next;
	int line;	/* from 1 */
	bool has_key;	/* since the section began */
	bool continues; /* the line holds more values of the key before it */
};

/* A section of the text and a key of it. */
struct profile_place {
	char section[24], key[24];
};

struct parser {
	struct profile *p;
	char *message;
	int message_line; /* where the reader was when it was said */
	struct parse_lines lines;
	struct profile_place place; /* of what is being checked */
	/* Values of each table of the schema: see parse_filled(). */
	uint32_t filled[SCHEMA_ROWS_MAX][PROFILE_STREAMS_MAX][SCHEMA_SLOTS_MAX];
};

/* Readers of words return 0 or -EINVAL; writers leave the text empty where the key is not written. */
#define WORD_READER(key) \
	int read_##key(struct parser *r, uint32_t instance, const char *name, const char *value)
#define WORD_WRITER(key) \
	void write_##key(const struct profile *p, uint32_t instance, char text[SCHEMA_TEXT_MAX])

/* Keeps the first message, for which the line is found; -EINVAL. */
int parse_fail(struct parser *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What is being checked after the last key: a key, or "" for the section. */
void parse_at(struct parser *r, enum schema_section section, uint32_t instance, const char *key);

/* "stream 7" */
void parse_section_name(enum schema_section section, uint32_t instance, char text[24]);

/* How many values a key has so far; label -1: the key without a label. */
uint32_t *parse_filled(struct parser *r, enum schema_section section, const char *key,
		       uint32_t instance, int label);

/* As units_parse_bytes(), from `min` to `max`. 0 or -EINVAL. */
int parse_bytes(const char *text, uint64_t min, uint64_t max, uint64_t *bytes);

/* A digit for each weight, of which there is room for all; 0 or -EINVAL. */
int parse_digits(struct parser *r, const char *name, const char *digits, uint32_t *weights);

typedef int (*token_handler)(struct parser *r, void *context, const char *name, char *token);

/* Each word of a list; 0 or -EINVAL. */
int parse_each_token(struct parser *r, const char *name, const char *value, token_handler handle,
		     void *context);

/* A key of a section's instance, counted from 0; one that is in no row is refused. 0 or -EINVAL. */
int parse_key(struct parser *r, enum schema_section section, uint32_t instance, const char *name,
	      const char *value);

/* Checks the text as a whole after its last key; r->place is what is wrong. 0 or -EINVAL. */
int parse_check(struct parser *r);

#endif
