// SPDX-License-Identifier: MIT
#include "replay/session/files_profile.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/exit_codes.h"
#include "profile/generate/file_trace.h"
#include "profile/text/builtin.h"
#include "replay/files/script.h"
#include "replay/session/options.h"
#include "replay/session/trace_file.h"

/* Closes `fd`. */
static int write_to(int fd, const struct profile *p, uint64_t seed)
{
	/* One more operation than a script takes is enough for it to say so. */
	const struct file_trace_options options = {.seed = seed == REPLAY_NO_SEED ? p->seed : seed,
						   .count = FILE_SCRIPT_OPS_MAX + 1ull};
	struct trace_writer *writer;
	int err = trace_writer__create_on(fd, &file_trace_host, NULL, &writer);

	return err ? err : file_trace__write(p, &options, writer);
}

static int generate(const struct profile *p, uint64_t seed, struct trace_reader **reader)
{
	int fd = memfd_create("blkreel-profile", MFD_CLOEXEC), written, err;
	char path[64];

	if (fd < 0)
		return -errno;
	written = dup(fd);
	err = written < 0 ? -errno : write_to(written, p, seed);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!err)
		err = trace_reader__open(path, reader, NULL);
	close(fd);
	return err;
}

static int open_profile(const char *path, uint64_t seed, struct trace_reader **reader,
			struct profile_files *files, struct failure *failure)
{
	char message[PROFILE_MESSAGE_MAX];
	struct profile *profile;
	int err = profile__load(path, &profile, message);

	if (err == -EINVAL)
		return replay_profile_invalid(path, message, failure);
	if (err)
		return failure_add_errno(failure, err, "%s", path);
	if (profile->level != PROFILE_OF_FILES) {
		profile__free(profile);
		return failure_add(
			failure, EXIT_USAGE,
			"%s is a profile of the IOs of a device; --files needs one of 'blkreel "
			"profile --level files'",
			path);
	}
	*files = profile->files;
	replay_warn_missing(path, &(struct missing_rows){.profile_lost_ppm = profile->lost_ppm},
			    ROW_ACCESS);
	err = generate(profile, seed, reader);
	profile__free(profile);
	return err ? failure_add_errno(failure, err, "%s", path) : 0;
}

int replay_files_source(const char *path, uint64_t seed, struct trace_reader **reader,
			struct profile_files *files, struct failure *failure)
{
	const char *message = NULL;
	int err = trace_reader__open(path, reader, &message);

	if (err == -EINVAL || (err == -ENOENT && profile_builtin(path)))
		return open_profile(path, seed, reader, files, failure);
	if (!err && seed != REPLAY_NO_SEED) {
		trace_reader__free(*reader);
		return failure_add(
			failure, EXIT_USAGE,
			"--seed works with a profile, and %s is a trace: leave --seed out", path);
	}
	return err ? replay_trace_open_failed(path, err, message, failure) : 0;
}
