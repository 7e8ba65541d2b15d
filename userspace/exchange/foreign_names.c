// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "exchange/foreign_names.h"

#include "trace/format.h"

/* Eight digits and "~". */
#define LONG_NAME_PREFIX 9

struct device_name {
	struct trace_device device; /* its name is the key */
	UT_hash_handle hh;
};

struct task_name {
	struct trace_task task;
	struct task_key {
		uint32_t pid;
		char comm[16]; /* "" if the pid alone identifies tasks */
	} key;
	UT_hash_handle hh;
};

/* A file or a cgroup. */
struct path_name {
	union {
		struct trace_file file;
		struct trace_cgroup cgroup;
	};
	UT_hash_handle hh;
	char path[]; /* its name, in any form, is the key */
};

struct foreign_names {
	struct device_name *devices;
	struct device_name *last_device; /* most rows repeat the device of the row before */
	const struct device_name **device_by_id;
	struct task_name *tasks;
	struct task_name *last_task;
	struct path_name *files, *last_file;
	struct path_name *cgroups, *last_cgroup;
	uint32_t device_count, task_count, file_count, cgroup_count;
	struct device_name
		*unwritten_device; /* the first of these; the others follow in hash order */
	struct task_name *unwritten_task;
	struct path_name *unwritten_file, *unwritten_cgroup;
	int err;
};

struct foreign_names *foreign_names__new(void)
{
	struct foreign_names *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->device_by_id = calloc(TRACE_DEVICES_MAX + 1, sizeof(*n->device_by_id));
	if (!n->device_by_id) {
		free(n);
		return NULL;
	}
	return n;
}

static void free_paths(struct path_name *head)
{
	struct path_name *name, *next;

	HASH_ITER (hh, head, name, next) {
		HASH_DEL(head, name);
		free(name);
	}
}

void foreign_names__free(struct foreign_names *n)
{
	struct device_name *device, *next_device;
	struct task_name *task, *next_task;

	if (!n)
		return;
	HASH_ITER (hh, n->devices, device, next_device) {
		HASH_DEL(n->devices, device);
		free(device);
	}
	HASH_ITER (hh, n->tasks, task, next_task) {
		HASH_DEL(n->tasks, task);
		free(task);
	}
	free_paths(n->files);
	free_paths(n->cgroups);
	free(n->device_by_id);
	free(n);
}

/* Cut to `size` - 1 bytes; a NUL inside ends it. */
static void copy_name(char *to, size_t size, struct text name)
{
	size_t bytes = strnlen(name.at, name.bytes);

	bytes = bytes < size ? bytes : size - 1;
	memcpy(to, name.at, bytes);
	to[bytes] = '\0';
}

/* FNV-1a. */
static uint32_t hash_text(struct text text)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < text.bytes; i++)
		hash = (hash ^ (uint8_t)text.at[i]) * 16777619u;
	return hash;
}

/* Two long names must not become one device: a hash of the whole name stands before its end. */
static void copy_device_name(char to[TRACE_NAME_MAX], struct text name)
{
	size_t prefix = TRACE_NAME_MAX - 1 - LONG_NAME_PREFIX;

	if (strnlen(name.at, name.bytes) < TRACE_NAME_MAX) {
		copy_name(to, TRACE_NAME_MAX, name);
		return;
	}
	snprintf(to, TRACE_NAME_MAX, "%08x~%.*s", hash_text(name), (int)prefix,
		 name.at + name.bytes - prefix);
}

static uint32_t fail(struct foreign_names *n, int err)
{
	n->err = err;
	return 0;
}

static uint32_t add_device(struct foreign_names *n, const char *name, uint32_t major,
			   uint32_t minor)
{
	struct device_name *device;

	if (n->device_count == TRACE_DEVICES_MAX)
		return fail(n, -E2BIG);
	device = calloc(1, sizeof(*device));
	if (!device)
		return fail(n, -ENOMEM);
	strcpy(device->device.name, name);
	device->device.major = major;
	device->device.minor = minor;
	device->device.logical_block_bytes = 512;
	device->device.id = ++n->device_count;
	HASH_ADD_STR(n->devices, device.name, device);
	n->device_by_id[device->device.id] = device;
	n->unwritten_device = n->unwritten_device ? n->unwritten_device : device;
	n->last_device = device;
	return device->device.id;
}

uint32_t foreign_names__device(struct foreign_names *n, struct text name, uint32_t major,
			       uint32_t minor)
{
	struct device_name *device = n->last_device;
	char wanted[TRACE_NAME_MAX];

	if (device && text_is(name, device->device.name))
		return device->device.id;
	copy_device_name(wanted, name);
	HASH_FIND_STR(n->devices, wanted, device);
	if (!device)
		return add_device(n, wanted, major, minor);
	n->last_device = device;
	return device->device.id;
}

static uint32_t add_task(struct foreign_names *n, const struct task_key *key, struct text comm)
{
	struct task_name *task;

	/* A trace without the names of more tasks is still useful. */
	if (n->task_count == TRACE_TASKS_MAX)
		return 0;
	task = calloc(1, sizeof(*task));
	if (!task)
		return fail(n, -ENOMEM);
	task->task.id = ++n->task_count;
	task->key = *key;
	task->task.pid = task->task.tgid = key->pid;
	copy_name(task->task.comm, sizeof(task->task.comm), comm);
	HASH_ADD(hh, n->tasks, key, sizeof(task->key), task);
	n->unwritten_task = n->unwritten_task ? n->unwritten_task : task;
	n->last_task = task;
	return task->task.id;
}

static uint32_t find_task(struct foreign_names *n, const struct task_key *key, struct text comm)
{
	struct task_name *task = n->last_task;

	if (task && !memcmp(&task->key, key, sizeof(*key)))
		return task->task.id;
	HASH_FIND(hh, n->tasks, key, sizeof(*key), task);
	if (!task)
		return add_task(n, key, comm);
	n->last_task = task;
	return task->task.id;
}

uint32_t foreign_names__task(struct foreign_names *n, uint32_t pid, struct text comm)
{
	struct task_key key = {.pid = pid};

	return find_task(n, &key, comm);
}

uint32_t foreign_names__task_of(struct foreign_names *n, uint32_t pid, struct text comm)
{
	struct task_key key = {.pid = pid};
	size_t bytes = comm.bytes < sizeof(key.comm) ? comm.bytes : sizeof(key.comm) - 1;

	if (bytes)
		memcpy(key.comm, comm.at, bytes);
	return find_task(n, &key, comm);
}

/* Finds or adds the entry of a name; a new one has no id yet. NULL: too long, or no memory. */
static struct path_name *find_path(struct foreign_names *n, struct path_name **head,
				   struct text name)
{
	struct path_name *path;

	if (memchr(name.at, '\0', name.bytes) || name.bytes >= TRACE_PATH_MAX)
		return NULL;
	HASH_FIND(hh, *head, name.at, name.bytes, path);
	if (path)
		return path;
	path = calloc(1, sizeof(*path) + name.bytes + 1);
	if (!path) {
		n->err = -ENOMEM;
		return NULL;
	}
	memcpy(path->path, name.at, name.bytes);
	HASH_ADD_KEYPTR(hh, *head, path->path, name.bytes, path);
	return path;
}

/* "8:1:4711" */
static bool parse_inode(struct text name, struct trace_file *file)
{
	const char *at = name.at, *end = name.at + name.bytes;

	return field_number32(&at, end, &file->major) && field_separator(&at, end, ':') &&
	       field_number32(&at, end, &file->minor) && field_separator(&at, end, ':') &&
	       field_number(&at, end, &file->inode) && at == end;
}

uint32_t foreign_names__file(struct foreign_names *n, struct text name)
{
	struct path_name *path = n->last_file;

	if (path && text_is(name, path->path))
		return path->file.id;
	path = n->file_count < TRACE_FILES_MAX ? find_path(n, &n->files, name) : NULL;
	if (!path)
		return 0;
	n->last_file = path;
	if (path->file.id)
		return path->file.id;
	if (parse_inode(name, &path->file))
		path->file.path = "";
	else
		path->file = (struct trace_file){.path = path->path};
	path->file.id = ++n->file_count;
	n->unwritten_file = n->unwritten_file ? n->unwritten_file : path;
	return path->file.id;
}

/* "id:4711" */
static bool parse_cgroup_id(struct text name, struct trace_cgroup *cgroup)
{
	const char *at = name.at, *end = name.at + name.bytes;

	if (name.bytes < 3 || memcmp(at, "id:", 3))
		return false;
	at += 3;
	return field_number(&at, end, &cgroup->kernel_id) && at == end;
}

uint32_t foreign_names__cgroup(struct foreign_names *n, struct text name)
{
	struct path_name *path = n->last_cgroup;

	if (path && text_is(name, path->path))
		return path->cgroup.id;
	path = n->cgroup_count < TRACE_CGROUPS_MAX ? find_path(n, &n->cgroups, name) : NULL;
	if (!path)
		return 0;
	n->last_cgroup = path;
	if (path->cgroup.id)
		return path->cgroup.id;
	path->cgroup.path = parse_cgroup_id(name, &path->cgroup) ? "" : path->path;
	if (*path->cgroup.path)
		path->cgroup.kernel_id = 0;
	path->cgroup.id = ++n->cgroup_count;
	n->unwritten_cgroup = n->unwritten_cgroup ? n->unwritten_cgroup : path;
	return path->cgroup.id;
}

int foreign_names__error(const struct foreign_names *n)
{
	return n->err;
}

uint32_t foreign_names__devices(const struct foreign_names *n)
{
	return n->device_count;
}

const char *foreign_names__device_name(const struct foreign_names *n, uint32_t id)
{
	return id && id <= n->device_count ? n->device_by_id[id]->device.name : "";
}

int foreign_names__write(struct foreign_names *n, struct trace_writer *w)
{
	int err = 0;

	while (n->unwritten_device && !err) {
		err = trace_writer__add_device(w, &n->unwritten_device->device);
		n->unwritten_device = n->unwritten_device->hh.next;
	}
	while (n->unwritten_task && !err) {
		err = trace_writer__add_task(w, &n->unwritten_task->task);
		n->unwritten_task = n->unwritten_task->hh.next;
	}
	while (n->unwritten_file && !err) {
		err = trace_writer__add_file(w, &n->unwritten_file->file);
		n->unwritten_file = n->unwritten_file->hh.next;
	}
	while (n->unwritten_cgroup && !err) {
		err = trace_writer__add_cgroup(w, &n->unwritten_cgroup->cgroup);
		n->unwritten_cgroup = n->unwritten_cgroup->hh.next;
	}
	return err;
}
