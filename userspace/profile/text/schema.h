/* SPDX-License-Identifier: MIT */
/*
 * A profile's text, a row for each key: what reads, writes, checks and shortens it, and what
 * docs/profile-format.md is compared with.
 */
#ifndef BLKREEL_PROFILE_TEXT_SCHEMA_H
#define BLKREEL_PROFILE_TEXT_SCHEMA_H

#include <stddef.h>

#include "profile/profile.h"

#define SCHEMA_ROWS_MAX 128
/* Labels of a row times its rows, at most. */
#define SCHEMA_SLOTS_MAX (PROFILE_SPLIT_GROUPS * PROFILE_SPLIT_ROWS)
#define SCHEMA_TEXT_MAX	 8192 /* of what stands behind a key */

struct parser;

/* In the order in which they are written. */
enum schema_section {
	SCHEMA_PROFILE = 0,
	SCHEMA_ERROR,
	SCHEMA_FILES,
	SCHEMA_ARRIVAL,
	SCHEMA_ADDRESSES, /* of a space */
	SCHEMA_STREAM,
	SCHEMA_CLOSED,
	SCHEMA_TASKS, /* of a kind */
	SCHEMA_SECTIONS,
};

enum schema_shape {
	SCHEMA_NUMBER = 0,
	SCHEMA_NUMBERS,
	SCHEMA_PAIRS,
	SCHEMA_ROWS,   /* of weights; each also as numbers under a key of its own */
	SCHEMA_TIMES,  /* struct closed_values */
	SCHEMA_SIZES,  /* struct profile_size, and how many there are */
	SCHEMA_FIGURE, /* two decimal numbers */
	SCHEMA_CHOICE, /* one of `names`: its index, of 32 bits */
	SCHEMA_WORDS,  /* what `read` and `write` know */
};

/* How many values a list has. */
enum schema_extent {
	SCHEMA_TRIMMED = 0, /* up to `count`, written without the zeros at the end */
	SCHEMA_COUNT,
	SCHEMA_ALL_OR_NONE, /* all, if any is above 0: fewer mean something else */
	SCHEMA_WINDOWS,
	SCHEMA_PHASES,
	SCHEMA_SIZE_AND_PHASES,
	SCHEMA_LEVELS,
	SCHEMA_CORRELATIONS,
	SCHEMA_STREAMS, /* of pairs: one that is not there is refused */
};

/* "key.LABEL": one of `names`, or a number from `first` on. */
struct schema_labels {
	const unsigned int *names;
	uint32_t count, first; /* count 0: the key has no label */
	size_t stride;	       /* from the table of one label to that of the next, in bytes */
};

struct schema_row {
	enum schema_section section;
	const char *key;
	enum schema_shape shape;
	uint32_t count; /* of values, at most */
	uint32_t least; /* the fewest, if there are any */
	enum schema_extent extent;
	bool exact;   /* a list of another length is refused */
	bool wide;    /* numbers of 64 bits, else of 32 */
	bool weights; /* shortened to a smaller sum, and to digits */
	bool omit_0;  /* a number or choice that is not written where it is 0 */
	bool early;   /* stands before the first stream */
	uint64_t min, max;
	uint64_t first_max; /* of the first number; 0: as `max` */
	size_t at;	    /* in what the section is about: see schema_table() */
	size_t known_at;    /* of a bool beside it: the key is there; 0: none */
	size_t other_at;    /* of sizes: their count; of a figure: the second number */
	struct schema_labels labels;
	const unsigned int *row_names;
	uint32_t row_count;
	uint32_t first_index;	  /* of pairs, and what a single number is kept less */
	const char *const *names; /* of a choice; the last is NULL */
	/* How a number with a unit is read, and "a time like 20s". */
	int (*parse)(const char *text, uint64_t *value);
	const char *like;
	const char *unit;    /* what sizes count */
	uint32_t multiple;   /* that sizes are of */
	const char *same_as; /* another form of this key, for people: never written */
	bool joined;	     /* written label by label with the row before */
	/* Written above the first line, with or without one. */
	const char *comment;
	void (*say)(const struct profile *p, uint32_t instance, FILE *out);
	bool comment_always;
	/* NULL: written wherever there is something. */
	bool (*when)(const struct profile *p, uint32_t instance, uint32_t label);
	/* Instead of what the shape says. An empty text is not written. */
	int (*read)(struct parser *r, uint32_t instance, const char *name, const char *value);
	void (*write)(const struct profile *p, uint32_t instance, char text[SCHEMA_TEXT_MAX]);
};

/* How a section is called: [name] is instance 0, [name N] instance N - 1. */
struct schema_name {
	const char *name;
	bool alone;	      /* whether it comes without a number */
	uint32_t least, most; /* numbers; 0: none */
	const char *plural;   /* of what is numbered without a hole; NULL: with holes */
};

extern const struct schema_name schema_names[SCHEMA_SECTIONS];

/* All rows, in the order in which they are written; the last one has no key. */
extern const struct schema_row schema_rows[];

/* Whether the section is written. */
bool schema_is_written(const struct profile *p, enum schema_section section, uint32_t instance);

/* The row of a key, which must exist; with or without a label. */
const struct schema_row *schema_row(enum schema_section section, const char *key, bool labelled);

/* The table of a label, counted from 0. */
void *schema_table(const struct schema_row *row, struct profile *p, uint32_t instance,
		   uint32_t label);

/* "key.LABEL"; returns `text`. */
const char *schema_key(const struct schema_row *row, uint32_t label, char text[48]);

/* Values that the list has by its extent. */
uint32_t schema_extent(const struct schema_row *row, const struct profile *p);

/* Changes each table of weights of a section's instance. */
void schema_change_weights(struct profile *p, enum schema_section section, uint32_t instance,
			   void (*change)(uint32_t *weights, unsigned int count, uint32_t most),
			   uint32_t most);

#endif
