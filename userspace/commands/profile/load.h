/* SPDX-License-Identifier: MIT */
/* Profiles from and to files. */
#ifndef BLKREEL_COMMANDS_PROFILE_LOAD_H
#define BLKREEL_COMMANDS_PROFILE_LOAD_H

#include "profile/profile.h"

/* Prints one line and returns an exit code when that fails; *profile is to be freed. */
int cmd_profile_load(const char *path, struct profile **profile);

/*
 * To standard output when `path` is NULL or "-"; only a profile is replaced. Prints and returns
 * an exit code.
 */
int cmd_profile_write(const struct profile *p, const char *path);

struct output_kind;

/* Says in one line why a profile or a job file is not written; the exit code. */
int cmd_profile_cannot_write(const char *path, const struct output_kind *kind, int err);

#endif
