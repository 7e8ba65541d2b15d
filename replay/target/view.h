/* SPDX-License-Identifier: MIT */
/* Where the rules about targets look: files of the system, or those of a test. */
#ifndef BLKREEL_REPLAY_TARGET_VIEW_H
#define BLKREEL_REPLAY_TARGET_VIEW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct safety_view {
	const char *mountinfo_path;
	const char *swaps_path;
	const char *sysfs_path;
	const char *proc_path;				 /* NULL: other processes are not checked */
	int (*read_dm_table)(dev_t device, char **text); /* as dm_table__read() */
};

extern const struct safety_view safety_view_of_system;

/* Reads a number from a file of sysfs; `fallback` if there is none. */
uint64_t safety__sysfs_number(const struct safety_view *view, dev_t device, const char *attribute,
			      uint64_t fallback);

/* The number of a device, from the file "dev" of its folder in sysfs. 0, -EINVAL or another negative errno. */
int safety__read_number(const char *folder, dev_t *device);

/* The kernel's name of a device ("sda1"). False: it is not known, and `name` is "". */
bool safety__kernel_name(const struct safety_view *view, dev_t device, char *name, size_t bytes);

#endif
