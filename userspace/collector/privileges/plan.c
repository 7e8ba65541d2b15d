// SPDX-License-Identifier: MIT
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/log.h"
#include "collector/privileges/privileges.h"
#include "collector/options.h"
#include "trace/file/trace_kind.h"

static int nothing_to_try(void *context)
{
	return 0;
}

/* The result of output_file__check() in a child process that has carried out the plan. */
static int check_output(const struct privileges_plan *plan, const char *output)
{
	uint64_t kept;
	int status, err;
	pid_t child = fork();

	if (child < 0)
		return -errno;
	if (!child) {
		err = privileges__become_user(plan);
		if (!err)
			err = privileges__drop(0, nothing_to_try, NULL, &kept);
		_exit(-(err ? err : output_file__check(output, &trace_kind)));
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
}

/* Parses an id that sudo(8) left in the environment. */
static bool parse_id(const char *text, unsigned int *id)
{
	unsigned long value;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	*id = (unsigned int)value;
	return !errno && !*end && value < UINT_MAX;
}

static bool find_sudo_user(struct privileges_plan *plan)
{
	const struct passwd *entry;

	if (geteuid() || !parse_id(getenv("SUDO_UID"), &plan->uid) || !plan->uid ||
	    !parse_id(getenv("SUDO_GID"), &plan->gid))
		return false;
	entry = getpwuid(plan->uid);
	if (entry)
		snprintf(plan->user, sizeof(plan->user), "%s", entry->pw_name);
	return true;
}

static int find_named_user(const char *name, struct privileges_plan *plan, char *message)
{
	uint64_t needed = PRIVILEGE(CAP_SETUID) | PRIVILEGE(CAP_SETGID);
	const struct passwd *entry;

	errno = 0;
	entry = getpwnam(name);
	if (!entry) {
		snprintf(message, COLLECTOR_MESSAGE_MAX, "--user %s: no such user", name);
		return -ENOENT;
	}
	snprintf(plan->user, sizeof(plan->user), "%s", entry->pw_name);
	plan->uid = entry->pw_uid;
	plan->gid = entry->pw_gid;
	plan->change_user = plan->uid != geteuid();
	if (!plan->change_user || (privileges__effective() & needed) == needed)
		return 0;
	snprintf(message, COLLECTOR_MESSAGE_MAX, "--user %s: only root can become another user",
		 name);
	return -EPERM;
}

static int plan_user(const struct privileges_request *request, struct privileges_plan *plan,
		     char *message)
{
	int err;

	if (!request->user) {
		plan->change_user = find_sudo_user(plan);
		if (plan->change_user && check_output(plan, request->output))
			plan->change_user = false;
		return 0;
	}
	err = find_named_user(request->user, plan, message);
	if (err || !plan->change_user)
		return err;
	err = check_output(plan, request->output);
	if (err == -EACCES)
		snprintf(message, COLLECTOR_MESSAGE_MAX,
			 "user %s may not write %s: choose another output with -o", request->user,
			 request->output);
	else if (err)
		output_file__explain(request->output, &trace_kind, err, message,
				     COLLECTOR_MESSAGE_MAX);
	return err == -EPERM ? -EACCES : err;
}

int privileges__plan(const struct privileges_request *request, struct privileges_plan *plan,
		     char *message)
{
	uint64_t override = PRIVILEGE(CAP_DAC_OVERRIDE);
	int err;

	*plan = (struct privileges_plan){0};
	message[0] = '\0';
	err = plan_user(request, plan, message);
	if (err || plan->change_user || !(privileges__effective() & override))
		return err;
	/* Root stays root, but without this capability it cannot write into the directory of
	 * another user. */
	if (check_output(plan, request->output) == -EACCES)
		plan->keep = override;
	if (request->more_files)
		plan->keep_after = plan->keep;
	return 0;
}
