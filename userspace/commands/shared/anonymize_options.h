/* SPDX-License-Identifier: MIT */
/* --anonymize and --anonymize-key, for every command that writes a trace. */
#ifndef BLKREEL_COMMANDS_SHARED_ANONYMIZE_OPTIONS_H
#define BLKREEL_COMMANDS_SHARED_ANONYMIZE_OPTIONS_H

#include <stdbool.h>

#include "trace/tables/anonymize.h"

/* A field of the command's config struct. */
struct anonymize_config {
	bool wanted;
	const char *key_path; /* NULL: a random key */
};

/* The rows of the command's option table for the field `field` of `config`. */
#define ANONYMIZE_OPTIONS(config, field)                                       \
	{.name = "anonymize",                                                  \
	 .type = OPT_FLAG,                                                     \
	 .offset = offsetof(config, field.wanted),                             \
	 .help = "hashes instead of names of files, processes,\n"              \
		 "cgroups and host; the key is thrown away"},                  \
	{                                                                      \
		.name = "anonymize-key", .type = OPT_TEXT,                     \
		.offset = offsetof(config, field.key_path), .metavar = "FILE", \
		.help = "the same with the key in FILE: one name has\n"        \
			"one hash in all traces of that key"                   \
	}

/*
 * What the options ask for: EXIT_OK, and *anonymizer to be freed with anonymizer__free() or NULL
 * when names are to be written as they are; else the exit code, after one line on stderr.
 */
int cmd_anonymizer(const struct anonymize_config *config, struct anonymizer **anonymizer);

#endif
