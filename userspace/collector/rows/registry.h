/* SPDX-License-Identifier: MIT */
/*
 * The tables of a recording: gives every device, task, file and cgroup that an event names a
 * table id, and writes its entry when it is met for the first time.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_REGISTRY_H
#define BLKREEL_COLLECTOR_ROWS_REGISTRY_H

#include "bpf/event.h"
#include "trace/file/writer.h"

struct registry;

int registry__create(struct trace_writer *writer, struct registry **registry);
void registry__free(struct registry *registry);

/* From now on the tables are those of another trace: every entry is met for the first time again.
 * Names of 65,536 files are kept, since the probes do not send them again. */
void registry__begin_trace(struct registry *registry, struct trace_writer *writer);

/* Each returns the id (from 1), or 0 when memory is short; kernel numbers as the probes give. */
uint32_t registry__device(struct registry *r, uint32_t device);
uint32_t registry__task(struct registry *r, uint32_t pid, uint32_t tgid, bool kernel_thread,
			const char *comm);
uint32_t registry__cgroup(struct registry *r, uint64_t kernel_id);
uint32_t registry__file(struct registry *r, uint32_t device, uint64_t inode, uint32_t mode);

/* Remembers the name of a file that will be asked for. */
void registry__name_file(struct registry *r, const struct file_event *event);

#endif
