/* SPDX-License-Identifier: MIT */
/* profile generate, for profiles of files. */
#ifndef BLKREEL_COMMANDS_PROFILE_GENERATE_FILES_H
#define BLKREEL_COMMANDS_PROFILE_GENERATE_FILES_H

#include "profile/profile.h"
#include "render/profile/text.h"

struct generate_files {
	uint64_t seed, count, duration_ns; /* duration 0: that of the profile */
	enum generated_format format;
	const char *output; /* NULL: printed */
};

/*
 * The end of 'profile generate' of `path`, into `output` (NULL: printed), which is no longer there
 * after an error: says it in one line. `err`: 0 or negative errno, -EINTR after a signal. Exit
 * code.
 */
int cmd_profile_generated(const char *output, const char *path, int err);

/* Prints the operations, or writes them as a trace. Exit code, after one line. */
int cmd_profile_generate_files(const struct profile *p, const struct generate_files *options,
			       const char *path);

#endif
