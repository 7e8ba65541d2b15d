// SPDX-License-Identifier: MIT
#include "replay/session/cpu_sleep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

enum cpu_sleep cpu_sleep__hold_off(const char *path, int *fd)
{
	const int32_t latency_us = 0;

	*fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (*fd < 0)
		return errno == EACCES || errno == EPERM ? CPU_SLEEP_NOT_PERMITTED
							 : CPU_SLEEP_NOT_AVAILABLE;
	if (write(*fd, &latency_us, sizeof(latency_us)) == sizeof(latency_us))
		return CPU_SLEEP_HELD_OFF;
	close(*fd);
	*fd = -1;
	return CPU_SLEEP_NOT_AVAILABLE;
}

void cpu_sleep__release(int fd)
{
	if (fd >= 0)
		close(fd);
}
