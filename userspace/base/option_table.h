/* SPDX-License-Identifier: MIT */
/*
 * Option tables: each row binds an option to a field of the command's own config struct, and the
 * help is printed from the same table. Each row is an OPTION().
 */
#ifndef BLKREEL_BASE_OPTION_TABLE_H
#define BLKREEL_BASE_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPT_FLAG,   /* takes no value */
	OPT_TEXT,   /* points into argv */
	OPT_FILE,   /* the same: the name of a file to write, not "-" */
	OPT_LIST,   /* may be repeated */
	OPT_COUNT,  /* in [min, max] */
	OPT_BYTES,  /* "64k" */
	OPT_TIME,   /* "10m", stored in ns */
	OPT_REAL,   /* above 0 */
	OPT_CHOICE, /* index into choices[] */
};

#define OPTION_LIST_MAX 64

struct option_list {
	const char *items[OPTION_LIST_MAX];
	unsigned int count;
};

struct option_def {
	const char *name; /* without the dashes */
	char short_name;  /* 0: none */
	enum option_type type;
	size_t offset;	     /* of the field in the config struct */
	const char *metavar; /* NULL for OPT_FLAG */
	const char *help;
	uint64_t min, max;	    /* OPT_COUNT; both 0: no limit. OPT_BYTES, OPT_TIME: min only */
	const char *const *choices; /* OPT_CHOICE, ends with NULL */
};

/* The type that the field of an option has. */
#define OPTION_FIELD_FLAG   bool
#define OPTION_FIELD_TEXT   const char *
#define OPTION_FIELD_FILE   const char *
#define OPTION_FIELD_LIST   struct option_list
#define OPTION_FIELD_COUNT  uint64_t
#define OPTION_FIELD_BYTES  uint64_t
#define OPTION_FIELD_TIME   uint64_t
#define OPTION_FIELD_REAL   double
#define OPTION_FIELD_CHOICE unsigned int

/* offsetof() that does not compile when the field has another type. */
#define OPTION_OFFSET(config_type, field, field_type)                                           \
	(offsetof(config_type, field) +                                                         \
	 0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((config_type *)NULL)->field), \
						      field_type)                               \
				 ? 1                                                            \
				 : -1]))

/*
 * One row: option --LONG_NAME, -LETTER (0: none) sets `field` of the struct `config_type`. `kind`
 * is an option_type without OPT_, `value` the metavar (NULL for FLAG). `text` begins with a verb
 * and ends with the default in parentheses; \n separates its lines. Further fields of the row
 * follow it: .min = 1, .max = 19 or .choices = names.
 */
#define OPTION(config_type, field, letter, long_name, kind, value, text, ...)     \
	{                                                                         \
		.name = long_name, .short_name = letter, .type = OPT_##kind,      \
		.offset = OPTION_OFFSET(config_type, field, OPTION_FIELD_##kind), \
		.metavar = value, .help = text, __VA_ARGS__                       \
	}

struct command_usage {
	const char *name;		  /* "record" */
	const char *synopsis;		  /* "[OPTIONS] [-- CMD ARG...]", one or more lines */
	const char *summary;		  /* what it does, one or more lines */
	const char *notes;		  /* after the options, whole lines; may be NULL */
	const char *examples;		  /* may be NULL */
	const struct option_def *options; /* ends with .name == NULL; --help is added */
	const char *const *subcommands;	  /* ends with NULL; may be NULL */
};

#endif
