/* SPDX-License-Identifier: MIT */
/* Names of devices, processes, files and cgroups for the reader. */
#ifndef BLKREEL_EXPLAIN_FIGURES_LABELS_H
#define BLKREEL_EXPLAIN_FIGURES_LABELS_H

#include "explain/figures/explanation.h"

/* Whether a device is explained. */
typedef bool explain_takes_fn(const void *context, uint32_t device);

/* The source of names. Each function returns NULL if there is no such entry. */
struct explain_tables {
	const void *context;
	const struct trace_device *(*device)(const void *context, uint32_t id);
	const struct trace_task *(*task)(const void *context, uint32_t id);
	const struct trace_file *(*file)(const void *context, uint32_t id);
	const struct trace_cgroup *(*cgroup)(const void *context, uint32_t id);
	const struct trace_stack *(*stack)(const void *context, uint32_t id); /* NULL: no stacks */
};

/* The name of a device without a leading /dev/. */
const char *explain_device_word(const char *name);

/*
 * Whether it is a thread of the kernel. One that was first seen as a waker is known by its name alone: kworker/...,
 * jbd2/..., xfsaild/....
 */
bool explain_is_kernel_thread(const struct trace_task *task); /* NULL: false */

/* Each is a group_namer; `context` is a struct explain_tables. 0 or -ENOMEM. */
int explain_name_task(const void *context, struct explain_group *group);
/* "kworker/u8:3-flush" and the other threads of the kernel are named up to the first '/', as in top. */
int explain_name_command(const void *context, struct explain_group *group);
int explain_name_file(const void *context, struct explain_group *group);
int explain_name_cgroup(const void *context, struct explain_group *group);

/* Fills device, comm, pid and file. 0 or -ENOMEM. */
int explain_name_slow_io(const struct explain_tables *tables, struct explain_slow_io *slow);

#endif
