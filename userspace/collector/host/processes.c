// SPDX-License-Identifier: MIT
#include "collector/host/processes.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

/* PROC_PID_INIT_INO of include/linux/proc_ns.h: part of the user ABI. */
#define INITIAL_NAMESPACE_INODE 0xeffffffcu

bool processes__are_numbered_by_kernel(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == INITIAL_NAMESPACE_INODE;
}

static uint32_t process_of(uint32_t pid)
{
	uint32_t process = pid;
	char path[64], line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	file = fopen(path, "re");
	if (!file)
		return pid;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %" SCNu32, &process) == 1)
			break;
	fclose(file);
	return process;
}

int processes__check(uint32_t pid, uint32_t *process)
{
	*process = pid;
	if (kill((pid_t)pid, 0) && errno == ESRCH)
		return -ESRCH;
	*process = process_of(pid);
	return *process == pid ? 0 : -EINVAL;
}
