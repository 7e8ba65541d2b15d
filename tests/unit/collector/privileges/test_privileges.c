// SPDX-License-Identifier: MIT
/*
 * Dropping capabilities. Each case runs in a child, because it cannot be undone; without root there
 * is nothing to drop and the cases are left out.
 */
#include "unit/shared/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>

#include "collector/privileges/privileges.h"
#include "collector/options.h"

#define SOMEBODY 65534

static char folder[] = "/tmp/blkreel-privileges-XXXXXX";
static char message[COLLECTOR_MESSAGE_MAX];

/* Runs `body` in a child; its failed checks are printed there and counted here. */
static void in_child(void (*body)(void))
{
	int status;
	pid_t child;

	if (geteuid())
		return;
	fflush(stdout);
	child = fork();
	if (!child) {
		body();
		fflush(stdout);
		_exit(test_failures_in_case);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
}

/* Reads a line of /proc/self/status as a set. */
static uint64_t set_of(const char *name)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long set = ~0ull;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, strlen(name)))
			sscanf(line + strlen(name), ": %llx", &set);
	if (file)
		fclose(file);
	return set;
}

static int works(void *context)
{
	return 0;
}

/* As on kernels before 5.19 with kernel.unprivileged_bpf_disabled: bpf(2) needs CAP_BPF. */
static int works_with_bpf(void *context)
{
	return privileges__effective() & PRIVILEGE(CAP_BPF) ? 0 : -EPERM;
}

static void drop_all(void)
{
	uint64_t kept = 1;

	CHECK_EQ(privileges__drop(0, works, NULL, &kept), 0);
	CHECK_EQ(kept, 0);
	CHECK_EQ(set_of("CapPrm"), 0);
	CHECK_EQ(set_of("CapEff"), 0);
	CHECK_EQ(set_of("CapInh"), 0);
	CHECK_EQ(set_of("CapBnd"), 0);
	CHECK_EQ(set_of("NoNewPrivs"), 1);
	CHECK(setuid(SOMEBODY));
}

static void all_capabilities_are_dropped_where_the_probes_stay_readable(void)
{
	in_child(drop_all);
}

static void drop_but_bpf(void)
{
	struct privileges_plan plan = {.change_user = true, .uid = SOMEBODY, .gid = SOMEBODY};
	uint64_t kept;

	CHECK_EQ(privileges__become_user(&plan), 0);
	CHECK_EQ(getuid(), SOMEBODY);
	CHECK_EQ(getgid(), SOMEBODY);
	CHECK_EQ(getgroups(0, NULL), 1);
	CHECK_EQ(privileges__drop(0, works_with_bpf, NULL, &kept), 0);
	CHECK_EQ(kept, PRIVILEGE(CAP_BPF));
	CHECK_EQ(set_of("CapPrm"), PRIVILEGE(CAP_BPF));
	CHECK_EQ(set_of("CapEff"), PRIVILEGE(CAP_BPF));
	CHECK_EQ(set_of("CapBnd"), 0);
	CHECK(setuid(0));
}

static void only_cap_bpf_is_kept_where_reading_needs_it(void)
{
	in_child(drop_but_bpf);
}

static void plan_closed_folder(void)
{
	struct privileges_request request = {.output = "t.reel", .more_files = true};
	struct privileges_plan plan;
	uint64_t kept;

	CHECK_EQ(privileges__plan(&request, &plan, message), 0);
	CHECK_EQ(plan.keep, 0);
	CHECK(!chown(folder, SOMEBODY, SOMEBODY) && !chmod(folder, 0700));
	CHECK_EQ(privileges__plan(&request, &plan, message), 0);
	CHECK_EQ(plan.keep, PRIVILEGE(CAP_DAC_OVERRIDE));
	CHECK_EQ(plan.keep_after, PRIVILEGE(CAP_DAC_OVERRIDE));
	request.more_files = false;
	CHECK_EQ(privileges__plan(&request, &plan, message), 0);
	CHECK_EQ(plan.keep, PRIVILEGE(CAP_DAC_OVERRIDE));
	CHECK_EQ(plan.keep_after, 0);
	CHECK_EQ(privileges__drop(plan.keep, works, NULL, &kept), 0);
	CHECK_EQ(kept, PRIVILEGE(CAP_DAC_OVERRIDE));
	CHECK(!close(open("t.reel", O_CREAT | O_WRONLY, 0600)));
	CHECK_EQ(privileges__drop(plan.keep_after, works, NULL, &kept), 0);
	CHECK_EQ(kept, 0);
	CHECK(open("more.reel", O_CREAT | O_WRONLY, 0600) < 0);
}

static void root_can_write_into_a_closed_folder_while_files_are_created(void)
{
	in_child(plan_closed_folder);
	CHECK(geteuid() || (!chown(folder, 0, 0) && !chmod(folder, 0755)));
}

static void plan_for(const char *uid, const char *gid, bool change)
{
	struct privileges_request request = {.output = "new.reel"};
	struct privileges_plan plan;

	CHECK(!setenv("SUDO_UID", uid, 1) && !setenv("SUDO_GID", gid, 1));
	CHECK_EQ(privileges__plan(&request, &plan, message), 0);
	CHECK_EQ(plan.change_user, change);
}

static void plan_behind_sudo(void)
{
	CHECK(!chmod(folder, 01777));
	plan_for("65534", "65534", true);
	/* A uid that has no name. */
	plan_for("4242424", "4242424", true);
	plan_for("0", "0", false);
	plan_for("", "0", false);
	plan_for("-1", "1", false);
	plan_for("1x", "1", false);
	plan_for("1", "", false);
	plan_for("4294967295", "1", false);
	plan_for("18446744073709551617", "1", false);
	CHECK(!chmod(folder, 0755));
	plan_for("65534", "65534", false);
}

static void the_caller_of_sudo_must_be_a_number(void)
{
	in_child(plan_behind_sudo);
}

static void explain_to_somebody(void)
{
	struct privileges_plan plan = {.change_user = true, .uid = SOMEBODY, .gid = SOMEBODY};
	uint64_t kept;

	CHECK(privileges__can_record());
	CHECK(!privileges__become_user(&plan) && !privileges__drop(0, works, NULL, &kept));
	CHECK(!privileges__can_record());
	privileges__explain_refusal(message, sizeof(message));
	CHECK(strstr(message, "CAP_BPF and CAP_PERFMON are missing: ") == message);
}

static void missing_capabilities_are_named(void)
{
	in_child(explain_to_somebody);
}

int main(void)
{
	char command[64];
	int err;

	unsetenv("SUDO_UID");
	if (!mkdtemp(folder) || chdir(folder))
		return EXIT_FAILURE;
	RUN(all_capabilities_are_dropped_where_the_probes_stay_readable);
	RUN(only_cap_bpf_is_kept_where_reading_needs_it);
	RUN(root_can_write_into_a_closed_folder_while_files_are_created);
	RUN(the_caller_of_sudo_must_be_a_number);
	RUN(missing_capabilities_are_named);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	err = system(command);
	return err ? EXIT_FAILURE : TEST_RESULT;
}
