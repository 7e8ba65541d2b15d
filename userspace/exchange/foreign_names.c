#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "exchange/foreign_names.h"

struct device_name {
	struct trace_device device; /* its name is the key */
	UT_hash_handle hh;
};

struct task_name {
	struct trace_task task; /* its pid is the key */
	UT_hash_handle hh;
};

struct foreign_names {
	struct device_name *devices;
	struct device_name *last_device; /* most rows repeat the device of the row before */
	const struct device_name **device_by_id;
	struct task_name *tasks;
	struct task_name *last_task;
	uint32_t device_count, task_count;
	struct device_name *unwritten_device; /* the first of those; they follow in hash order */
	struct task_name *unwritten_task;
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

static uint32_t fail(struct foreign_names *n, int err)
{
	n->err = err;
	return 0;
}

static uint32_t add_device(struct foreign_names *n, const struct trace_device *wanted)
{
	struct device_name *device;

	if (n->device_count == TRACE_DEVICES_MAX)
		return fail(n, -E2BIG);
	device = calloc(1, sizeof(*device));
	if (!device)
		return fail(n, -ENOMEM);
	device->device = *wanted;
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
	struct trace_device wanted = {.major = major, .minor = minor, .logical_block_bytes = 512};
	struct device_name *device = n->last_device;

	if (device && text_is(name, device->device.name))
		return device->device.id;
	copy_name(wanted.name, sizeof(wanted.name), name);
	HASH_FIND_STR(n->devices, wanted.name, device);
	if (!device)
		return add_device(n, &wanted);
	n->last_device = device;
	return device->device.id;
}

static uint32_t add_task(struct foreign_names *n, uint32_t pid, struct text comm)
{
	struct task_name *task;

	/* A trace without names for more tasks is still a good trace. */
	if (n->task_count == TRACE_TASKS_MAX)
		return 0;
	task = calloc(1, sizeof(*task));
	if (!task)
		return fail(n, -ENOMEM);
	task->task.id = ++n->task_count;
	task->task.pid = task->task.tgid = pid;
	copy_name(task->task.comm, sizeof(task->task.comm), comm);
	HASH_ADD(hh, n->tasks, task.pid, sizeof(task->task.pid), task);
	n->unwritten_task = n->unwritten_task ? n->unwritten_task : task;
	n->last_task = task;
	return task->task.id;
}

uint32_t foreign_names__task(struct foreign_names *n, uint32_t pid, struct text comm)
{
	struct task_name *task = n->last_task;

	if (task && task->task.pid == pid)
		return task->task.id;
	HASH_FIND(hh, n->tasks, &pid, sizeof(pid), task);
	if (!task)
		return add_task(n, pid, comm);
	n->last_task = task;
	return task->task.id;
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
	return err;
}
