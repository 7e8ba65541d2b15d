/* SPDX-License-Identifier: MIT */
/* Parses the arguments of a command by its table of options. getopt_long(3) does the parsing. */
#ifndef BLKREEL_BASE_OPTIONS_H
#define BLKREEL_BASE_OPTIONS_H

#include "base/option_table.h"

enum options_result {
	OPTIONS_OK = 0,
	OPTIONS_HELP,  /* help or completions were printed to stdout: exit EXIT_OK */
	OPTIONS_USAGE, /* a message was printed to stderr: exit EXIT_USAGE */
};

/*
 * Parses argv[1..] into `config`, which holds the defaults. *first_operand is the index in argv
 * of the first operand. Options after operands are found too, except after "--". An option with a
 * value is refused the second time, unless it is an OPT_LIST.
 * *separator, unless NULL, is the index of the first argument after "--", or argc.
 */
enum options_result options_parse(const struct command_usage *usage, int argc, char **argv,
				  void *config, int *first_operand, int *separator);

/* Prints "blkreel NAME: MESSAGE" and a pointer to --help to stderr. Returns EXIT_USAGE. */
int options_usage_error(const struct command_usage *usage, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
