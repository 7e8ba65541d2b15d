// SPDX-License-Identifier: MIT
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/capability.h>

#include "base/units.h"
#include "collector/kernel/btf.h"
#include "collector/privileges/privileges.h"

/* Since Linux 5.11 the memory of maps is charged to the cgroup (80ee81e0403c "bpf: Eliminate
 * rlimit-based memory accounting infra for bpf maps"); the same release added this helper. */
static bool maps_are_charged_to_cgroups(void)
{
	static const char *const enums[] = {"bpf_func_id", NULL};

	return kernel_btf_enum_value(enums, "BPF_FUNC_ktime_get_coarse_ns") >= 0;
}

/* The kernel checks capabilities in the initial user namespace, which maps all ids. */
static bool in_user_namespace(void)
{
	unsigned long inside = 0, outside = 0, count = UINT32_MAX;
	FILE *file = fopen("/proc/self/uid_map", "re");

	if (file && fscanf(file, "%lu %lu %lu", &inside, &outside, &count) != 3)
		count = UINT32_MAX;
	if (file)
		fclose(file);
	return inside || outside || count != UINT32_MAX;
}

void privileges__setcap_command(char *text, size_t bytes)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[length > 0 ? length : 0] = '\0';
	snprintf(text, bytes, "setcap cap_bpf,cap_perfmon=ep %s",
		 *path ? path : "/usr/local/sbin/blkreel");
}

static void explain_lack(char *text, size_t bytes)
{
	uint64_t set = privileges__effective();
	char command[PATH_MAX + 64];
	const char *lack = "CAP_BPF and CAP_PERFMON are";

	if (set & PRIVILEGE(CAP_BPF))
		lack = "CAP_PERFMON is";
	else if (set & PRIVILEGE(CAP_PERFMON))
		lack = "CAP_BPF is";
	privileges__setcap_command(command, sizeof(command));
	snprintf(text, bytes, "%s missing: run as root, or once, as root, run '%s'", lack, command);
}

static void explain_memory(char *text, size_t bytes)
{
	struct rlimit limit = {0};
	char size[UNITS_TEXT_MAX];

	getrlimit(RLIMIT_MEMLOCK, &limit);
	snprintf(
		text, bytes,
		"this kernel charges the memory of the probes to the limit of locked memory, which is %s: raise it (ulimit -l unlimited, LimitMEMLOCK=infinity), grant CAP_SYS_RESOURCE, or set a smaller --ring-size",
		limit.rlim_cur == RLIM_INFINITY ? "unlimited" : units_bytes(limit.rlim_cur, size));
}

static bool is_locked_down(void)
{
	FILE *file = fopen("/sys/kernel/security/lockdown", "re");
	char line[128] = "";

	if (file && !fgets(line, sizeof(line), file))
		line[0] = '\0';
	if (file)
		fclose(file);
	return strstr(line, "[confidentiality]");
}

void privileges__explain_refusal(char *text, size_t bytes)
{
	struct rlimit limit = {0};

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (in_user_namespace())
		snprintf(
			text, bytes,
			"this is a container with its own user namespace, whose capabilities do not allow recording: record on the host");
	else if (!privileges__can_record())
		explain_lack(text, bytes);
	else if (limit.rlim_cur != RLIM_INFINITY && !maps_are_charged_to_cgroups())
		explain_memory(text, bytes);
	else if (is_locked_down())
		snprintf(
			text, bytes,
			"the kernel's lockdown mode 'confidentiality' forbids the probes: boot with lockdown=integrity");
	else
		snprintf(
			text, bytes,
			"the capabilities suffice, but a security module or a seccomp filter (of a container?) forbids bpf(2): allow it there, or record on the host");
}
