/* SPDX-License-Identifier: MIT */
/*
 * Option tables: each row binds an option to a field of the command's own config struct; the
 * help is printed from the same table. Parsing itself is getopt_long(3).
 */
#ifndef BLKREEL_BASE_OPTIONS_H
#define BLKREEL_BASE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_type {
	OPT_FLAG,   /* bool */
	OPT_TEXT,   /* const char *, points into argv */
	OPT_FILE,   /* the same, a file to write: not "-" */
	OPT_LIST,   /* struct option_list, may be repeated */
	OPT_COUNT,  /* uint64_t in [min, max] */
	OPT_BYTES,  /* uint64_t, "64k" */
	OPT_TIME,   /* uint64_t ns, "10m" */
	OPT_REAL,   /* double > 0 */
	OPT_CHOICE, /* unsigned int, index into choices[] */
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

struct command_usage {
	const char *name;		  /* "record" */
	const char *synopsis;		  /* "[OPTIONS] [-- CMD ARG...]"; several lines allowed */
	const char *summary;		  /* what it does, one or more lines */
	const char *notes;		  /* behind the options, whole lines; may be NULL */
	const char *examples;		  /* may be NULL */
	const struct option_def *options; /* ends with .name == NULL; --help is added */
};

enum options_result {
	OPTIONS_OK = 0,
	OPTIONS_HELP,  /* help was printed to stdout: exit EXIT_OK */
	OPTIONS_USAGE, /* a message was printed to stderr: exit EXIT_USAGE */
};

/*
 * Parses argv[1..] into `config`, which holds the defaults. *first_operand is the index in argv
 * of the first operand; options after operands are found too, except after "--".
 * *separator, when not NULL, receives the index of the first word after "--" or argc.
 */
enum options_result options_parse(const struct command_usage *usage, int argc, char **argv,
				  void *config, int *first_operand, int *separator);

/* "blkreel NAME: MESSAGE" and a pointer to --help, on stderr; returns EXIT_USAGE. */
int options_usage_error(const struct command_usage *usage, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
