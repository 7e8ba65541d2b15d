/* SPDX-License-Identifier: MIT */
/* --anonymize and --anonymize-key, for every command that writes a trace. */
#ifndef BLKREEL_COMMANDS_SHARED_ANONYMIZE_OPTIONS_H
#define BLKREEL_COMMANDS_SHARED_ANONYMIZE_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"
#include "trace/tables/anonymize.h"

/* The options, as a field of the command's config struct. */
struct anonymize_config {
	bool wanted;
	const char *key_path; /* NULL: a random key */
};

/* The rows of an option table for the struct anonymize_config in `field` of `config_type`. */
#define ANONYMIZE_OPTIONS(config_type, field)                                         \
	OPTION(config_type, field.wanted, 0, "anonymize", FLAG, NULL,                 \
	       "write keyed hashes instead of names of files,\n"                      \
	       "processes, cgroups and hosts; discard the key"),                      \
		OPTION(config_type, field.key_path, 0, "anonymize-key", TEXT, "FILE", \
		       "do the same with the key in FILE: a name has the\n"           \
		       "same hash in all traces of that key")

/*
 * Makes what the options ask for. EXIT_OK and *anonymizer, to be freed with anonymizer__free(), or
 * NULL if names are to be written unchanged; else the exit code, after one line on stderr.
 */
int cmd_anonymizer(const struct anonymize_config *config, struct anonymizer **anonymizer);

#endif
