/* SPDX-License-Identifier: MIT */
/* Processes as their numbers in this PID namespace tell them. */
#ifndef BLKREEL_COLLECTOR_HOST_PROCESSES_H
#define BLKREEL_COLLECTOR_HOST_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the kernel's own numbers are those that this process sees; false where that is not known. */
bool processes__are_numbered_by_kernel(void);

/* 0; -ESRCH: there is no such process; -EINVAL: it is a thread, and *process receives its process. */
int processes__check(uint32_t pid, uint32_t *process);

#endif
