/* profile generate, for profiles of files. */
#ifndef BLKREEL_CMD_PROFILE_GENERATE_FILES_H
#define BLKREEL_CMD_PROFILE_GENERATE_FILES_H

#include "profile/profile.h"
#include "render/profile.h"

struct generate_files {
	uint64_t seed, count, duration_ns; /* duration 0: that of the profile */
	enum generated_format format;
	const char *output; /* NULL: printed */
};

/* Prints the operations, or writes them as a trace. Exit code, after one line. */
int cmd_profile_generate_files(const struct profile *p, const struct generate_files *options,
			       const char *path);

/* Writes them to an empty file that is open, as a trace; `fd` is closed. 0 or negative errno. */
int cmd_profile_files_to_trace(const struct profile *p, const struct generate_files *options,
			       int fd);

#endif
