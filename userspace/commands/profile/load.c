// SPDX-License-Identifier: MIT
#include "commands/profile/load.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "commands/shared/command.h"
#include "commands/shared/text_output.h"
#include "profile/text/builtin.h"

int cmd_profile_load(const char *path, struct profile **profile)
{
	char message[PROFILE_MESSAGE_MAX];
	int err = profile__load(path, profile, message);

	if (!err) {
		if (*(*profile)->edits)
			pr_warn("%s: %s", path, (*profile)->edits);
		return EXIT_OK;
	}
	if (err == -ENOENT && !strchr(path, '/')) {
		pr_err("%s: no such file, and no built-in profile; these are: %s", path,
		       profile_builtin_names());
		return EXIT_FAILED;
	}
	pr_err("%s: %s", path, *message ? message : strerror(-err));
	return err == -EINVAL ? EXIT_BAD_INPUT : EXIT_FAILED;
}

static bool is_profile(const char *head, size_t bytes)
{
	const char *mark = "[profile]";

	(void)bytes;
	return !strncmp(head, mark, strlen(mark)) || strstr(head, "\n[profile]");
}

static const struct output_kind profile_kind = {
	.name = "profile", .is_one = is_profile, .follows = true, .streams = true};

int cmd_profile_cannot_write(const char *path, const struct output_kind *kind, int err)
{
	char message[PATH_MAX + 256];

	if (err == -EEXIST) {
		pr_err("%s: exists %s; choose another name for -o", path,
		       kind->is_one ? "and is not a profile" : "already");
		return EXIT_USAGE;
	}
	output_file__explain(path, kind, err, message, sizeof(message));
	pr_err("%s", message);
	return EXIT_FAILED;
}

int cmd_profile_write(const struct profile *p, const char *path)
{
	struct text_output output;
	int err;

	if (!path || !strcmp(path, "-")) {
		profile__save(p, stdout);
		return cmd_flush_stdout();
	}
	err = text_output__begin(&output, path, &profile_kind);
	if (err)
		return cmd_profile_cannot_write(path, &profile_kind, err);
	err = text_output__end(&output, profile__save(p, output.file));
	return err ? cmd_profile_cannot_write(path, &profile_kind, err) : EXIT_OK;
}
