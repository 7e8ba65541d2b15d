// SPDX-License-Identifier: MIT
#include "trace/streams/entries.h"

#include <string.h>

/* FNV-1a: two names of one file are two entries. */
static uint64_t hash_of(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	while (*path)
		hash = (hash ^ (uint8_t)*path++) * 0x100000001b3ull;
	return hash;
}

static bool identify_device(const struct trace_reader *r, uint32_t id,
			    struct entry_identity *identity)
{
	const struct trace_device *device = trace_reader__device(r, id);

	if (!device)
		return false;
	identity->a = device->major;
	identity->b = device->minor;
	identity->number = device->size_bytes;
	memcpy(identity->name, device->name, strlen(device->name));
	return true;
}

static bool identify_task(const struct trace_reader *r, uint32_t id,
			  struct entry_identity *identity)
{
	const struct trace_task *task = trace_reader__task(r, id);

	if (!task)
		return false;
	identity->a = task->pid;
	identity->b = task->tgid;
	identity->kind = task->kernel_thread;
	memcpy(identity->name, task->comm, strlen(task->comm));
	return true;
}

static bool identify_file(const struct trace_reader *r, uint32_t id,
			  struct entry_identity *identity)
{
	const struct trace_file *file = trace_reader__file(r, id);

	if (!file)
		return false;
	identity->a = file->major;
	identity->b = file->minor;
	identity->number = file->inode;
	identity->generation = file->generation;
	identity->path_hash = hash_of(file->path);
	identity->kind = file->kind;
	return true;
}

static bool identify_cgroup(const struct trace_reader *r, uint32_t id,
			    struct entry_identity *identity)
{
	const struct trace_cgroup *cgroup = trace_reader__cgroup(r, id);

	if (!cgroup)
		return false;
	identity->number = cgroup->kernel_id;
	return true;
}

static bool identify_stack(const struct trace_reader *r, uint32_t id,
			   struct entry_identity *identity)
{
	const struct trace_stack *stack = trace_reader__stack(r, id);

	if (!stack)
		return false;
	identity->path_hash = hash_of(stack->functions);
	return true;
}

static int write_device(struct trace_writer *w, const struct trace_reader *r, uint32_t from,
			uint32_t id)
{
	struct trace_device device = *trace_reader__device(r, from);

	device.id = id;
	return trace_writer__add_device(w, &device);
}

static int write_task(struct trace_writer *w, const struct trace_reader *r, uint32_t from,
		      uint32_t id)
{
	struct trace_task task = *trace_reader__task(r, from);

	task.id = id;
	return trace_writer__add_task(w, &task);
}

static int write_file(struct trace_writer *w, const struct trace_reader *r, uint32_t from,
		      uint32_t id)
{
	struct trace_file file = *trace_reader__file(r, from);

	file.id = id;
	return trace_writer__add_file(w, &file);
}

static int write_cgroup(struct trace_writer *w, const struct trace_reader *r, uint32_t from,
			uint32_t id)
{
	struct trace_cgroup cgroup = *trace_reader__cgroup(r, from);

	cgroup.id = id;
	return trace_writer__add_cgroup(w, &cgroup);
}

static int write_stack(struct trace_writer *w, const struct trace_reader *r, uint32_t from,
		       uint32_t id)
{
	struct trace_stack stack = *trace_reader__stack(r, from);

	stack.id = id;
	return trace_writer__add_stack(w, &stack);
}

static const struct {
	bool (*identify)(const struct trace_reader *r, uint32_t id,
			 struct entry_identity *identity);
	int (*write)(struct trace_writer *w, const struct trace_reader *r, uint32_t from,
		     uint32_t id);
} tables[ENTRY_TABLES] = {
	[ENTRY_DEVICES] = {identify_device, write_device},
	[ENTRY_TASKS] = {identify_task, write_task},
	[ENTRY_FILES] = {identify_file, write_file},
	[ENTRY_CGROUPS] = {identify_cgroup, write_cgroup},
	[ENTRY_STACKS] = {identify_stack, write_stack},
};

bool entry_identify(enum entry_table table, const struct trace_reader *r, uint32_t id,
		    struct entry_identity *identity)
{
	memset(identity, 0, sizeof(*identity));
	identity->table = table;
	return tables[table].identify(r, id, identity);
}

void entry_identify_host(const struct trace_reader *r, uint32_t id, struct entry_identity *identity)
{
	const struct trace_cgroup *cgroup = trace_reader__cgroup(r, id);

	identity->host_hash = hash_of(trace_reader__host(r)->hostname);
	/* Another boot of the host may use the number for another group. */
	if (identity->table == ENTRY_CGROUPS && cgroup)
		identity->path_hash = hash_of(cgroup->path);
}

int entry_write(enum entry_table table, struct trace_writer *w, const struct trace_reader *r,
		uint32_t from, uint32_t id)
{
	return tables[table].write(w, r, from, id);
}
