/* SPDX-License-Identifier: MIT */
/* What commands that replay onto a target are told of it: rows of an option table. */
#ifndef BLKREEL_COMMANDS_SHARED_TARGET_OPTIONS_H
#define BLKREEL_COMMANDS_SHARED_TARGET_OPTIONS_H

#include "base/options.h"

/* How addresses become those of a smaller target: enum replay_fit - REPLAY_FIT_WRAP. Ends with NULL. */
extern const char *const target_fit_names[];

/* --source, a const char * in `field` of `config_type`, and --fit, an unsigned int in `fit_field`. */
#define TARGET_SOURCE_OPTIONS(config_type, field, fit_field)                 \
	OPTION(config_type, field, 'd', "source", TEXT, "DEV",               \
	       "replay this recorded device, if there are several"),         \
		OPTION(config_type, fit_field, 0, "fit", CHOICE, "HOW",      \
		       "fit the addresses to a smaller target: wrap them\n"  \
		       "around, scale them to its size, or compact (leave\n" \
		       "out what no IO touches)",                            \
		       .choices = target_fit_names)

/* --write, bool; --yes-destroy and --force, lists; --create-size, a uint64_t: bytes, 0 if it is not given. */
#define TARGET_WRITE_OPTIONS(config_type, write_field, destroy_field, force_field, create_field) \
	OPTION(config_type, write_field, 0, "write", FLAG, NULL,                                 \
	       "let writes and discards change the target"),                                     \
		OPTION(config_type, destroy_field, 0, "yes-destroy", LIST, "NAME",               \
		       "confirm that this device, or file that holds data,\n"                    \
		       "may be overwritten, instead of being asked\n"                            \
		       "(repeatable)"),                                                          \
		OPTION(config_type, force_field, 0, "force", LIST, "TYPE",                       \
		       "overwrite a target that carries this signature\n"                        \
		       "(ext4, gpt, ...); overrides no other rule\n"                             \
		       "(repeatable)"),                                                          \
		OPTION(config_type, create_field, 0, "create-size", BYTES, "SIZE",               \
		       "create the target, a new file of this size", .min = 1)

#endif
