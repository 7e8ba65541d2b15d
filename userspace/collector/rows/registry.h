/* SPDX-License-Identifier: MIT */
/*
 * The tables of a recording or of a live view: gives every device, task, file and cgroup that an
 * event names a table id, and hands its entry out when it first occurs.
 */
#ifndef BLKREEL_COLLECTOR_ROWS_REGISTRY_H
#define BLKREEL_COLLECTOR_ROWS_REGISTRY_H

#include "bpf/event.h"
#include "trace/file/writer.h"

struct registry;

/* Where entries go. Each returns 0, or an error: then the rows of this entry say "none". */
struct row_tables {
	int (*device)(void *context, const struct trace_device *device);
	int (*task)(void *context, const struct trace_task *task);
	int (*cgroup)(void *context, const struct trace_cgroup *cgroup);
	int (*file)(void *context, const struct trace_file *file);
	void *context;
};

/* The tables of a trace. */
struct row_tables registry__tables_of(struct trace_writer *writer);

/* `tables` is copied, its context is not owned. 0 or negative errno. */
int registry__create(const struct row_tables *tables, struct registry **registry);
void registry__free(struct registry *registry); /* NULL is allowed */

/* Begins the tables of another trace: every entry is written again when it next occurs. The names
 * of 65,536 files are kept, because the probes do not send them again. */
void registry__begin_trace(struct registry *registry, const struct row_tables *tables);

/* Forgets all but the 65,536 files that were met last, within a few thousand. One that is met again gets another id. */
void registry__forget_files(struct registry *registry);

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

/* Forgets the devices whose numbers belong to other disks now, or to none, and warns of the first: the
 * next row gets another entry. Returns their count. */
unsigned int registry__forget_replaced(struct registry *r);

/* Remembers a name that records will refer to. */
void registry__name_file(struct registry *r, const struct file_event *event);

#endif
