/* SPDX-License-Identifier: MIT */
/* What the parsers of a profile's sections share; only parse*.c includes it. */
#ifndef BLKREEL_PROFILE_TEXT_PARSER_H
#define BLKREEL_PROFILE_TEXT_PARSER_H

#include "profile/profile.h"
#include "profile/text/burst_digits.h"
#include "profile/text/edits.h"
#include "profile/text/parse_lines.h"
#include "profile/text/schema.h"

enum stream_key {
	KEY_OP = 0,
	KEY_FLAGS,
	KEY_SUBMITTER,
	KEY_PATTERN,
	KEY_SPACE,
	STREAM_KEYS,
};

/* Where the numbers of a key go: a table of numbers, one after the other or by index. */
struct target {
	void *numbers;
	bool wide;   /* uint64_t, else uint32_t */
	bool sparse; /* index:number */
	uint32_t first_index, count;
	uint64_t min, max;
	/* Values so far; of pairs where the next number goes. */
	uint32_t *filled;
};

/* Rows of digits, named as in `names`, or by their number. */
struct row_target {
	uint32_t *weights; /* of the first row, `count` each, one after the other */
	uint32_t count;
	const unsigned int *names;
	unsigned int row_count;
	uint32_t *filled; /* of each row */
};

/* An item of "pinned_bursts". */
struct parse_burst {
	uint32_t window, bin;
	uint32_t ios_count, reads_count, class_count; /* digits */
	struct burst_digits digits;
};

struct parser {
	struct profile *p;
	char *message;
	int message_line; /* where the reader was when it was said */
	struct parse_lines lines;
	uint32_t head_filled[16];
	uint32_t seeds_filled;
	uint32_t level_filled, files_filled[2], readahead[2][2];
	uint32_t reuse_check_filled[PROFILE_SPACES_MAX];
	uint32_t sizes_check_filled, arrival_filled;
	struct edit_checks checks;
	bool kind_filled; /* any row of reads or others alone */
	/* Values of each table of the schema: see parse_filled(). */
	uint32_t filled[SCHEMA_ROWS_MAX][PROFILE_STREAMS_MAX][SCHEMA_SLOTS_MAX];
	uint32_t kernel_filled[CLOSED_TASKS_MAX];
	uint32_t bursts_filled;
	struct parse_burst bursts[PROFILE_PINNED_BURSTS_MAX];
	uint32_t stream_filled[PROFILE_STREAMS_MAX][STREAM_KEYS];
	uint64_t version;
	char within_key[16]; /* the present one */
};

/* Keeps the first message, for which the line is found; -EINVAL. */
int parse_fail(struct parser *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* -EINVAL when a key that has values begins anew; 0: it has none, or the line goes on with them. */
int parse_once(struct parser *r, const char *name, bool filled);

/* The numbers of one key; 0 or -EINVAL. */
int parse_fill(struct parser *r, struct target t, const char *name, const char *value);

/* The rows of one key, "row:digits"; 0 or -EINVAL. */
int parse_fill_rows(struct parser *r, struct row_target t, const char *name, const char *value);

int parse_unknown_key(struct parser *r, const char *section, const char *name); /* -EINVAL */

/* Index of the row that a name like "gap.17" ends with; -1: there is no such row. */
int parse_row_index(const char *text, const unsigned int *names, unsigned int count);

typedef int (*token_handler)(struct parser *r, void *context, const char *name, char *token);

/* "512", "4K" (KiB), "2M" (MiB): whole numbers. 0, -EINVAL or -ERANGE. */
int parse_bytes(const char *text, uint64_t min, uint64_t max, uint64_t *bytes);

/* A digit for each weight, of which there is room for all; 0 or -EINVAL. */
int parse_digits(struct parser *r, const char *name, const char *digits, uint32_t *weights);

/* Each word of a list; 0 or -EINVAL. */
int parse_each_token(struct parser *r, const char *name, const char *value, token_handler handle,
		     void *context);

#endif
