// SPDX-License-Identifier: MIT
#include "explain/figures/labels.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *explain_device_word(const char *name)
{
	return strncmp(name, "/dev/", 5) ? name : name + 5;
}

__attribute__((format(printf, 2, 3))) static int set_text(char **text, const char *fmt, ...)
{
	va_list args;
	int length;

	va_start(args, fmt);
	length = vasprintf(text, fmt, args);
	va_end(args);
	if (length >= 0)
		return 0;
	*text = NULL;
	return -ENOMEM;
}

bool explain_is_kernel_thread(const struct trace_task *task)
{
	static const char *const beginnings[] = {"kworker/",   "jbd2/",	 "xfsaild/",
						 "ksoftirqd/", "kswapd", "kdamond."};

	if (!task || task->kernel_thread)
		return task != NULL;
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (!strncmp(task->comm, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

int explain_name_task(const void *context, struct explain_group *group)
{
	const struct explain_tables *tables = context;
	const struct trace_task *task = tables->task(tables->context, group->id);

	if (!task)
		return set_text(&group->name, group->id ? "task-%u" : "(unknown)", group->id);
	group->tgid = task->tgid;
	group->kernel_thread = explain_is_kernel_thread(task);
	return set_text(&group->name, "%.*s", (int)sizeof(task->comm), task->comm);
}

int explain_name_command(const void *context, struct explain_group *group)
{
	int err = explain_name_task(context, group);

	if (err || !group->kernel_thread)
		return err;
	if (*group->name != '/')
		group->name[strcspn(group->name, "/")] = '\0';
	return 0;
}

static int file_text(const struct trace_file *file, uint32_t id, char **text)
{
	if (!file)
		return set_text(text, "file-%u", id);
	if (file->path && *file->path)
		return set_text(text, "%s", file->path);
	if (file->kind == FILE_BLOCKDEV)
		return set_text(text, "(block device %u:%u)", file->major, file->minor);
	return set_text(text, "(%s %" PRIu64 " on %u:%u)",
			file->kind == FILE_DIRECTORY ? "directory" : "inode", file->inode,
			file->major, file->minor);
}

int explain_name_file(const void *context, struct explain_group *group)
{
	const struct explain_tables *tables = context;

	return file_text(tables->file(tables->context, group->id), group->id, &group->name);
}

int explain_name_cgroup(const void *context, struct explain_group *group)
{
	const struct explain_tables *tables = context;
	const struct trace_cgroup *cgroup = tables->cgroup(tables->context, group->id);

	if (!cgroup)
		return set_text(&group->name, group->id ? "cgroup-%u" : "(unknown)", group->id);
	if (cgroup->path && *cgroup->path)
		return set_text(&group->name, "%s", cgroup->path);
	return set_text(&group->name, "(cgroup %" PRIu64 ")", cgroup->kernel_id);
}

int explain_name_slow_io(const struct explain_tables *tables, struct explain_slow_io *slow)
{
	const struct io_row *row = &slow->row;
	const struct trace_device *device = tables->device(tables->context, row->device);
	const struct trace_task *task = tables->task(tables->context, row->task);

	if (device)
		snprintf(slow->device, sizeof(slow->device), "%s", device->name);
	else
		snprintf(slow->device, sizeof(slow->device), "device-%u", row->device);
	if (task) {
		snprintf(slow->comm, sizeof(slow->comm), "%.*s", (int)sizeof(task->comm) - 1,
			 task->comm);
		slow->pid = task->tgid;
	}
	if (!row->file)
		return 0;
	return file_text(tables->file(tables->context, row->file), row->file, &slow->file);
}
