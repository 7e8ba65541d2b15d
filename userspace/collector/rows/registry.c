// SPDX-License-Identifier: MIT
#include "collector/rows/registry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <uthash.h>

#include "base/clock.h"
#include "base/log.h"
#include "collector/host/cgroups.h"
#include "collector/host/group_limits.h"
#include "collector/host/devices.h"
#include "collector/host/mounts.h"
#include "collector/rows/file_names.h"
#include "containers/container_names.h"

#define KERNEL_MAJOR(device) ((device) >> 20)
#define KERNEL_MINOR(device) ((device)&0xfffff)

struct known_device {
	uint32_t device, id;
	uint64_t sequence; /* of its disk; 0: not known */
	char name[TRACE_NAME_MAX];
	UT_hash_handle hh;
};

struct known_task {
	struct task_key {
		uint32_t pid, tgid;
		char comm[EVENT_COMM_BYTES];
	} key;
	char raw_comm[EVENT_COMM_BYTES]; /* including the bytes after its terminating NUL */
	uint32_t id;
	UT_hash_handle hh;
};

struct known_cgroup {
	uint64_t kernel_id;
	uint32_t id;
	UT_hash_handle hh;
};

/* The most recent entry of each kind: most IOs repeat those before them. */
#define RECENT_TASKS 64

struct recent {
	struct known_device *device;
	struct known_cgroup *cgroup;
	struct known_task *tasks[RECENT_TASKS]; /* by pid */
};

struct registry {
	struct recent recent;
	struct row_tables tables;
	struct cgroups *cgroup_paths;
	struct container_names *names;
	struct mounts *mounts;
	struct known_device *devices;
	struct known_task *tasks;
	struct known_cgroup *cgroups;
	struct file_names *files;
	uint32_t trace;
	/* Entries in each table. An entry that the writer does not take (the table is full) has no
	 * id; its rows say "none". */
	uint32_t device_count, task_count, cgroup_count, file_count;
};

static int write_device(void *writer, const struct trace_device *device)
{
	return trace_writer__add_device(writer, device);
}

static int write_task(void *writer, const struct trace_task *task)
{
	return trace_writer__add_task(writer, task);
}

static int write_cgroup(void *writer, const struct trace_cgroup *cgroup)
{
	return trace_writer__add_cgroup(writer, cgroup);
}

static int write_file(void *writer, const struct trace_file *file)
{
	return trace_writer__add_file(writer, file);
}

struct row_tables registry__tables_of(struct trace_writer *writer)
{
	return (struct row_tables){
		.device = write_device,
		.task = write_task,
		.cgroup = write_cgroup,
		.file = write_file,
		.context = writer,
	};
}

int registry__create(const struct row_tables *tables, struct registry **registry)
{
	struct registry *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	r->tables = *tables;
	err = cgroups__create("blkio", &r->cgroup_paths);
	if (!err)
		err = container_names__create("", &r->names);
	if (!err)
		err = mounts__create(&r->mounts);
	if (!err)
		err = file_names__create(&r->files);
	if (err) {
		registry__free(r);
		return err;
	}
	*registry = r;
	return 0;
}

#define FREE_ALL(type, head)                        \
	do {                                        \
		struct type *entry, *next;          \
		HASH_ITER (hh, head, entry, next) { \
			HASH_DEL(head, entry);      \
			free(entry);                \
		}                                   \
	} while (0)

void registry__free(struct registry *r)
{
	if (!r)
		return;
	FREE_ALL(known_device, r->devices);
	FREE_ALL(known_task, r->tasks);
	FREE_ALL(known_cgroup, r->cgroups);
	file_names__free(r->files);
	cgroups__free(r->cgroup_paths);
	container_names__free(r->names);
	mounts__free(r->mounts);
	free(r);
}

void registry__forget_files(struct registry *r)
{
	file_names__forget(r->files);
}

void registry__begin_trace(struct registry *r, const struct row_tables *tables)
{
	r->recent = (struct recent){0};
	r->tables = *tables;
	r->trace++;
	FREE_ALL(known_device, r->devices);
	FREE_ALL(known_task, r->tasks);
	FREE_ALL(known_cgroup, r->cgroups);
	registry__forget_files(r);
	r->device_count = r->task_count = r->cgroup_count = r->file_count = 0;
}

uint32_t registry__device(struct registry *r, uint32_t device)
{
	struct known_device *known;
	struct trace_device entry;

	if (r->recent.device && r->recent.device->device == device)
		return r->recent.device->id;
	HASH_FIND(hh, r->devices, &device, sizeof(device), known);
	if (known) {
		r->recent.device = known;
		return known->id;
	}
	known = calloc(1, sizeof(*known));
	if (!known)
		return 0;
	known->device = device;
	HASH_ADD(hh, r->devices, device, sizeof(device), known);
	known->sequence = devices__sequence(KERNEL_MAJOR(device), KERNEL_MINOR(device));
	devices__describe(KERNEL_MAJOR(device), KERNEL_MINOR(device), &entry);
	snprintf(known->name, sizeof(known->name), "%s", entry.name);
	entry.id = r->device_count + 1;
	if (!r->tables.device(r->tables.context, &entry))
		known->id = ++r->device_count;
	return known->id;
}

unsigned int registry__forget_replaced(struct registry *r)
{
	struct known_device *known, *next;
	unsigned int count = 0;

	HASH_ITER (hh, r->devices, known, next) {
		uint32_t major = KERNEL_MAJOR(known->device), minor = KERNEL_MINOR(known->device);

		if (!known->sequence || devices__sequence(major, minor) == known->sequence)
			continue;
		if (devices__size_bytes(major, minor))
			pr_warn("%s is another disk now: its IOs are listed apart", known->name);
		HASH_DEL(r->devices, known);
		free(known);
		count++;
	}
	if (count)
		r->recent.device = NULL;
	return count;
}

uint32_t registry__task(struct registry *r, uint32_t pid, uint32_t tgid, bool kernel_thread,
			const char *comm)
{
	struct task_key key = {.pid = pid, .tgid = tgid};
	struct known_task **recent = &r->recent.tasks[pid % RECENT_TASKS], *known = *recent;
	struct trace_task entry;

	if (known && known->key.pid == pid && known->key.tgid == tgid &&
	    !memcmp(known->raw_comm, comm, sizeof(known->raw_comm)))
		return known->id;
	strncpy(key.comm, comm, sizeof(key.comm) - 1);
	HASH_FIND(hh, r->tasks, &key, sizeof(key), known);
	if (known) {
		memcpy(known->raw_comm, comm, sizeof(known->raw_comm));
		*recent = known;
		return known->id;
	}
	known = calloc(1, sizeof(*known));
	if (!known)
		return 0;
	known->key = key;
	memcpy(known->raw_comm, comm, sizeof(known->raw_comm));
	HASH_ADD(hh, r->tasks, key, sizeof(key), known);
	entry = (struct trace_task){
		.id = r->task_count + 1,
		.pid = pid,
		.tgid = tgid,
		.kernel_thread = kernel_thread,
	};
	memcpy(entry.comm, key.comm, sizeof(entry.comm));
	if (!r->tables.task(r->tables.context, &entry))
		known->id = ++r->task_count;
	return known->id;
}

/* The state files may be gone when the trace is read, and on another machine they never were. */
static void find_names(struct registry *r, const char *path, struct container_name *name)
{
	struct cgroup_owner owner;

	cgroup_owner__of_path(path, &owner);
	container_names__find(r->names, &owner, clock_ns(CLOCK_MONOTONIC), name);
}

static void add_cgroup(struct registry *r, struct known_cgroup *known)
{
	struct trace_cgroup entry = {
		.id = r->cgroup_count + 1,
		.kernel_id = known->kernel_id,
		.path = cgroups__path(r->cgroup_paths, known->kernel_id),
	};
	struct group_limits limits;
	struct container_name name;

	find_names(r, entry.path, &name);
	entry.container = name.container;
	entry.pod = name.pod;
	entry.pod_namespace = name.pod_namespace;
	group_limits__read(cgroups__mount(r->cgroup_paths), entry.path, &limits);
	entry.io_limits = limits.list;
	entry.io_limit_count = limits.count;
	if (!r->tables.cgroup(r->tables.context, &entry))
		known->id = ++r->cgroup_count;
}

uint32_t registry__cgroup(struct registry *r, uint64_t kernel_id)
{
	struct known_cgroup *known;

	if (!kernel_id)
		return 0;
	if (r->recent.cgroup && r->recent.cgroup->kernel_id == kernel_id)
		return r->recent.cgroup->id;
	HASH_FIND(hh, r->cgroups, &kernel_id, sizeof(kernel_id), known);
	if (known) {
		r->recent.cgroup = known;
		return known->id;
	}
	known = calloc(1, sizeof(*known));
	if (!known)
		return 0;
	known->kernel_id = kernel_id;
	HASH_ADD(hh, r->cgroups, kernel_id, sizeof(kernel_id), known);
	add_cgroup(r, known);
	return known->id;
}

static enum file_kind file_kind(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return FILE_REGULAR;
	case S_IFDIR:
		return FILE_DIRECTORY;
	case S_IFBLK:
		return FILE_BLOCKDEV;
	default:
		return FILE_OTHER;
	}
}

static uint32_t id_of(struct registry *r, uint32_t device, uint64_t inode, struct file_path *path,
		      uint32_t mode)
{
	struct trace_device described;
	struct trace_file entry;
	char name[TRACE_NAME_MAX + 8] = "";

	if (path->id && path->trace == r->trace)
		return path->id;
	path->id = 0;
	path->trace = r->trace;
	entry = (struct trace_file){
		.id = r->file_count + 1,
		.major = KERNEL_MAJOR(device),
		.minor = KERNEL_MINOR(device),
		.inode = inode,
		.generation = path->generation,
		.kind = file_kind(mode),
		.path = path->text ? path->text : "",
	};
	if (entry.kind == FILE_BLOCKDEV) {
		devices__describe(entry.major, entry.minor, &described);
		snprintf(name, sizeof(name), "/dev/%s", described.name);
		entry.path = name;
	}
	if (!r->tables.file(r->tables.context, &entry))
		path->id = ++r->file_count;
	return path->id;
}

uint32_t registry__file(struct registry *r, uint32_t device, uint64_t inode, uint32_t mode,
			uint8_t version, uint64_t time_ns)
{
	struct file_path *path = file_names__at(r->files, device, inode, version, time_ns);

	return path ? id_of(r, device, inode, path, mode) : 0;
}

uint32_t registry__newest_file(struct registry *r, uint32_t device, uint64_t inode, uint32_t mode,
			       uint32_t generation)
{
	struct file_path *path = file_names__newest(r->files, device, inode, generation);

	return path ? id_of(r, device, inode, path, mode) : 0;
}

uint32_t registry__generation(struct registry *r, uint32_t device, uint64_t inode, uint8_t version,
			      uint64_t time_ns)
{
	return file_names__generation(r->files, device, inode, version, time_ns);
}

/* "/mnt/db/base/file"; "[loop0]/base/file" when the file system is not mounted in this namespace;
 * "[loop0].../c/d" when the path has more components than the probes send. */
static char *whole_path(struct registry *r, const struct file_event *event)
{
	uint32_t major = KERNEL_MAJOR(event->device), minor = KERNEL_MINOR(event->device);
	const char *point = event->whole ? mounts__point(r->mounts, major, minor) : "";
	struct trace_device device;
	char path[TRACE_PATH_MAX];
	size_t used;
	int first = 0;

	if (*point) {
		used = (size_t)snprintf(path, sizeof(path), "%s", strcmp(point, "/") ? point : "");
	} else {
		devices__describe(major, minor, &device);
		used = (size_t)snprintf(path, sizeof(path), "[%s]%s", device.name,
					event->whole ? "" : "...");
	}
	while (first < FILE_COMPONENTS && event->components[first][0])
		first++;
	if (!first)
		snprintf(path + used, sizeof(path) - used, "/");
	for (int i = first - 1; i >= 0 && used < sizeof(path); i--)
		used += (size_t)snprintf(path + used, sizeof(path) - used, "/%.*s",
					 FILE_COMPONENT_BYTES, event->components[i]);
	return strdup(path);
}

void registry__name_file(struct registry *r, const struct file_event *event)
{
	/* A file without any name was deleted before the probes met it. */
	bool has_name = event->whole || event->components[0][0];

	file_names__add(r->files, event, has_name ? whole_path(r, event) : strdup(""));
}
