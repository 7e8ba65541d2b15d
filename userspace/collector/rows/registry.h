/* SPDX-License-Identifier: MIT */
/*
 * The tables of a recording: gives every device, task, file and cgroup that an event names a table
 * id, and writes its entry when it first occurs.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_REGISTRY_H
#define BLKREEL_COLLECTOR_ROWS_REGISTRY_H

#include "bpf/event.h"
#include "trace/file/writer.h"

struct registry;

/* Creates the tables of `writer`, which is not owned. 0 or negative errno. */
int registry__create(struct trace_writer *writer, struct registry **registry);
void registry__free(struct registry *registry); /* NULL is allowed */

/* Begins the tables of another trace: every entry is written again when it next occurs. The names
 * of 65,536 files are kept, because the probes do not send them again. */
void registry__begin_trace(struct registry *registry, struct trace_writer *writer);

/* Each returns the id (from 1), or 0 without memory. Numbers are encoded as the probes send
 * them. */
uint32_t registry__device(struct registry *r, uint32_t device);
uint32_t registry__task(struct registry *r, uint32_t pid, uint32_t tgid, bool kernel_thread,
			const char *comm);
uint32_t registry__cgroup(struct registry *r, uint64_t kernel_id);
/* The id of the name that the file had when a probe made a record; `version` and `time_ns` are the
 * record's. */
uint32_t registry__file(struct registry *r, uint32_t device, uint64_t inode, uint32_t mode,
			uint8_t version, uint64_t time_ns);
/* The id of the newest name of the file with this generation. */
uint32_t registry__newest_file(struct registry *r, uint32_t device, uint64_t inode, uint32_t mode,
			       uint32_t generation);
/* The generation of the file that had this name; 0: not known. */
uint32_t registry__generation(struct registry *r, uint32_t device, uint64_t inode, uint8_t version,
			      uint64_t time_ns);

/* Remembers a name that records will refer to. */
void registry__name_file(struct registry *r, const struct file_event *event);

#endif
