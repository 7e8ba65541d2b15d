/* SPDX-License-Identifier: MIT */
/*
 * What a shell may complete: 'blkreel --complete COMMAND ARGUMENT... WORD' prints a line for each
 * candidate, "WORD<TAB>WHAT IT DOES", and a last line that says what else fits: ":none", ":file" or
 * ":command". The shells' own scripts are in packaging/completion.
 */
#ifndef BLKREEL_BASE_COMPLETION_H
#define BLKREEL_BASE_COMPLETION_H

#include <stdbool.h>

#include "base/option_table.h"

/* From now on options_parse() prints candidates instead. */
void completion_begin(void);
bool completion_is_on(void);

/* A candidate, if it begins with `word`; only the first line of `text` is printed. */
void completion_offer(const char *word, const char *candidate, const char *text);

/* Candidates for the last of the arguments of a command. */
void completion_of_command(const struct command_usage *usage, int argc, char **argv);

#endif
