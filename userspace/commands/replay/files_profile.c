// SPDX-License-Identifier: MIT
#include "commands/replay/files_profile.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "commands/profile/generate_files.h"
#include "commands/shared/workload_input.h"
#include "profile/text/builtin.h"
#include "replay/files/script.h"

static int failed(const char *path, int err)
{
	pr_err("%s: %s", path, strerror(-err));
	return EXIT_FAILED;
}

/* One more operation than a script takes is enough for it to say so. */
static int generate(const struct profile *p, uint64_t seed, struct trace_reader **reader)
{
	struct generate_files options = {.seed = seed == UINT64_MAX ? p->seed : seed,
					 .count = FILE_SCRIPT_OPS_MAX + 1ull};
	int fd = memfd_create("blkreel-profile", MFD_CLOEXEC), written, err;
	char path[64];

	if (fd < 0)
		return -errno;
	written = dup(fd);
	err = written < 0 ? -errno : cmd_profile_files_to_trace(p, &options, written);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!err)
		err = trace_reader__open(path, reader, NULL);
	close(fd);
	return err;
}

static int open_profile(const char *path, uint64_t seed, struct trace_reader **reader,
			struct profile_files *files)
{
	char message[PROFILE_MESSAGE_MAX];
	struct profile *profile;
	int err = profile__load(path, &profile, message);

	if (err)
		return err == -EINVAL ? cmd_profile_error(path, message) : failed(path, err);
	if (profile->level != PROFILE_OF_FILES) {
		pr_err("%s: is a profile of the IOs of a device; --files takes one of 'blkreel profile "
		       "--level files'",
		       path);
		profile__free(profile);
		return EXIT_USAGE;
	}
	*files = profile->files;
	err = generate(profile, seed, reader);
	profile__free(profile);
	return err ? failed(path, err) : EXIT_OK;
}

int replay_files_source(const char *path, uint64_t seed, struct trace_reader **reader,
			struct profile_files *files)
{
	const char *message = NULL;
	int err = trace_reader__open(path, reader, &message);

	if (err == -EINVAL || (err == -ENOENT && profile_builtin(path)))
		return open_profile(path, seed, reader, files);
	if (!err && seed != UINT64_MAX) {
		pr_err("--seed is of profiles; %s is a trace", path);
		trace_reader__free(*reader);
		return EXIT_USAGE;
	}
	return err ? cmd_open_error(path, err, message) : EXIT_OK;
}
