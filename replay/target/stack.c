// SPDX-License-Identifier: MIT
#include "replay/target/stack.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "replay/target/view.h"

static int add_directory(struct stack *stack, const char *directory, enum stack_relation relation);

static int add_holders(struct stack *stack, const char *directory)
{
	char path[PATH_MAX + 16], child[PATH_MAX + 16 + NAME_MAX + 1], real[PATH_MAX];
	struct dirent *entry;
	DIR *holders;
	int err = 0;

	snprintf(path, sizeof(path), "%s/holders", directory);
	holders = opendir(path);
	if (!holders)
		return errno == ENOENT ? 0 : -errno;
	while (!err && (entry = readdir(holders))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(child, sizeof(child), "%s/%s", path, entry->d_name);
		err = realpath(child, real) ? add_directory(stack, real, STACK_HOLDER) : -errno;
	}
	closedir(holders);
	return err;
}

static int add_partitions(struct stack *stack, const char *directory, enum stack_relation relation)
{
	char child[PATH_MAX + NAME_MAX + 1], mark[PATH_MAX + NAME_MAX + 16];
	struct dirent *entry;
	DIR *disk = opendir(directory);
	int err = 0;

	if (!disk)
		return -errno;
	while (!err && (entry = readdir(disk))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(child, sizeof(child), "%s/%s", directory, entry->d_name);
		snprintf(mark, sizeof(mark), "%s/partition", child);
		if (!access(mark, F_OK))
			err = add_directory(stack, child, relation);
	}
	closedir(disk);
	return err;
}

static int add_directory(struct stack *stack, const char *directory, enum stack_relation relation)
{
	const char *slash = strrchr(directory, '/');
	struct stack_device *item;
	dev_t device;
	int err;

	err = safety__read_number(directory, &device);
	if (err)
		return err;
	if (stack__find(stack, device))
		return 0;
	if (stack->count == STACK_DEVICES_MAX)
		return -E2BIG;
	item = &stack->devices[stack->count++];
	*item = (struct stack_device){.device = device, .relation = relation};
	snprintf(item->name, sizeof(item->name), "%s", slash ? slash + 1 : directory);
	err = add_holders(stack, directory);
	if (err)
		return err;
	return add_partitions(stack, directory,
			      relation == STACK_HOLDER ? STACK_HOLDER : STACK_PARTITION);
}

int stack__read(const char *sysfs_path, dev_t device, struct stack *stack)
{
	char path[PATH_MAX], real[PATH_MAX];

	stack->count = 0;
	snprintf(path, sizeof(path), "%s/dev/block/%u:%u", sysfs_path, major(device),
		 minor(device));
	if (!realpath(path, real))
		return errno == ENOENT ? -ENODEV : -errno;
	return add_directory(stack, real, STACK_ITSELF);
}

const struct stack_device *stack__find(const struct stack *stack, dev_t device)
{
	for (unsigned int i = 0; i < stack->count; i++)
		if (stack->devices[i].device == device)
			return &stack->devices[i];
	return NULL;
}

const char *stack_relation_text(enum stack_relation relation)
{
	switch (relation) {
	case STACK_ITSELF:
		return "it";
	case STACK_PARTITION:
		return "its partition";
	case STACK_HOLDER:
		return "what is stacked on it,";
	}
	return "";
}
