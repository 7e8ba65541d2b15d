// SPDX-License-Identifier: MIT
#include "replay/target/safety.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/mount_table.h"
#include "replay/target/stack.h"

const struct safety_view safety_view_of_system = {
	.mountinfo_path = "/proc/self/mountinfo",
	.swaps_path = "/proc/swaps",
	.sysfs_path = "/sys",
};

int refuse(struct refusal *why, enum safety_rule rule, const char *fmt, ...)
{
	va_list args;

	why->rule = rule;
	va_start(args, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, args);
	va_end(args);
	return -EPERM;
}

static int cannot_find_out(struct refusal *why, const char *path, const char *what, int err)
{
	why->rule = SAFETY_NO_RULE;
	snprintf(why->text, sizeof(why->text), "%s: cannot find out %s: %s", path, what,
		 strerror(-err));
	return err;
}

int safety__check_kind(const char *path, mode_t mode, struct refusal *why)
{
	const char *kind;

	if (S_ISBLK(mode) || S_ISREG(mode))
		return 0;
	kind = S_ISDIR(mode)	? "a directory"
	       : S_ISCHR(mode)	? "a character device"
	       : S_ISFIFO(mode) ? "a FIFO"
	       : S_ISSOCK(mode) ? "a socket"
				: "no file to write to";
	return refuse(why, SAFETY_KIND, "%s is %s: name a block device or a regular file", path,
		      kind);
}

uint64_t safety__sysfs_number(const struct safety_view *view, dev_t device, const char *attribute,
			      uint64_t fallback)
{
	/* A partition has some attributes itself (ro); others (queue/) belong to its disk. */
	static const char *const places[] = {"", "../"};
	unsigned long long value;
	char path[PATH_MAX];

	for (unsigned int i = 0; i < 2; i++) {
		FILE *file;
		int fields;

		snprintf(path, sizeof(path), "%s/dev/block/%u:%u/%s%s", view->sysfs_path,
			 major(device), minor(device), places[i], attribute);
		file = fopen(path, "re");
		if (!file)
			continue;
		fields = fscanf(file, "%llu", &value);
		fclose(file);
		if (fields == 1)
			return value;
	}
	return fallback;
}

/* Mounts ------------------------------------------------------------------------------------- */

/* A file system over several devices (btrfs) has a number of its own; its source names a device. */
static dev_t mounted_device(const struct mount_entry *mount)
{
	struct stat file;

	if (major(mount->device) || mount->source[0] != '/' || stat(mount->source, &file) ||
	    !S_ISBLK(file.st_mode))
		return mount->device;
	return file.st_rdev;
}

static int check_mounts(const struct safety_view *view, const char *path, const struct stack *stack,
			struct refusal *why)
{
	struct mount_table *table;
	int err = mount_table__read(view->mountinfo_path, &table);

	if (err)
		return cannot_find_out(why, path, "what is mounted", err);
	for (size_t i = 0; i < table->count && !err; i++) {
		const char *target = table->entries[i].target;
		const struct stack_device *device =
			stack__find(stack, mounted_device(&table->entries[i]));

		if (!device)
			continue;
		err = refuse(why, SAFETY_MOUNTED,
			     "%s is mounted: %s%s%s is on %s; unmount that first "
			     "(umount %s) or choose another target",
			     path, stack_relation_text(device->relation),
			     device->relation == STACK_ITSELF ? "" : " ",
			     device->relation == STACK_ITSELF ? "" : device->name, target, target);
	}
	mount_table__free(table);
	return err;
}

/* Swap --------------------------------------------------------------------------------------- */

/* /proc/swaps writes blanks as \040. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		unsigned int octal;

		if (from[0] == '\\' && sscanf(from + 1, "%3o", &octal) == 1 && strlen(from) >= 4) {
			*to = (char)octal;
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static int check_swaps(const struct safety_view *view, const char *path, const struct stack *stack,
		       const struct stat *file, struct refusal *why)
{
	FILE *swaps = fopen(view->swaps_path, "re");
	char *line = NULL;
	size_t line_bytes = 0;
	int err = 0;

	if (!swaps && errno == ENOENT)
		return 0; /* a kernel without swap */
	if (!swaps)
		return cannot_find_out(why, path, "what is swap", -errno);
	while (!err && getline(&line, &line_bytes, swaps) >= 0) {
		struct stat swap;

		line[strcspn(line, " \t\n")] = '\0';
		unescape(line);
		if (line[0] != '/' || stat(line, &swap))
			continue;
		if ((file && same_file(file, &swap)) ||
		    (stack && S_ISBLK(swap.st_mode) && stack__find(stack, swap.st_rdev)))
			err = refuse(why, SAFETY_SWAP,
				     "%s is used as swap (%s): swapoff %s first or choose another "
				     "target",
				     path, line, line);
	}
	free(line);
	fclose(swaps);
	return err;
}

/* Loop devices ------------------------------------------------------------------------------- */

/* The file behind a loop device: asked of the driver, or by name where that is not allowed. */
static bool loop_backing(const struct safety_view *view, const char *name, struct stat *backing)
{
	char path[PATH_MAX], text[PATH_MAX];
	struct loop_info64 info;
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		int err = ioctl(fd, LOOP_GET_STATUS64, &info);

		close(fd);
		if (!err) {
			*backing = (struct stat){.st_dev = (dev_t)info.lo_device,
						 .st_ino = (ino_t)info.lo_inode,
						 .st_rdev = (dev_t)info.lo_rdevice};
			return true;
		}
	}
	snprintf(path, sizeof(path), "%s/block/%s/loop/backing_file", view->sysfs_path, name);
	file = fopen(path, "re");
	if (!file)
		return false;
	text[0] = '\0';
	if (fgets(text, sizeof(text), file))
		text[strcspn(text, "\n")] = '\0';
	fclose(file);
	return text[0] && !stat(text, backing);
}

static int check_loops(const struct safety_view *view, const char *path, const struct stack *stack,
		       const struct stat *file, struct refusal *why)
{
	char block_path[PATH_MAX];
	struct dirent *entry;
	DIR *block;
	int err = 0;

	snprintf(block_path, sizeof(block_path), "%s/block", view->sysfs_path);
	block = opendir(block_path);
	if (!block)
		return errno == ENOENT ? 0 : cannot_find_out(why, path, "its users", -errno);
	while (!err && (entry = readdir(block))) {
		struct stat backing;

		if (strncmp(entry->d_name, "loop", 4) ||
		    !loop_backing(view, entry->d_name, &backing))
			continue;
		if ((file && same_file(file, &backing)) ||
		    (stack && backing.st_rdev && stack__find(stack, backing.st_rdev)))
			err = refuse(why, SAFETY_LOOP_BACKING,
				     "%s holds the data of /dev/%s: detach that first (losetup -d "
				     "/dev/%s) or choose another target",
				     path, entry->d_name, entry->d_name);
	}
	closedir(block);
	return err;
}

/* All together ------------------------------------------------------------------------------- */

static int check_holders(const char *path, const struct stack *stack, struct refusal *why)
{
	for (unsigned int i = 0; i < stack->count; i++)
		if (stack->devices[i].relation == STACK_HOLDER)
			return refuse(
				why, SAFETY_HOLDERS,
				"%s is part of %s (see /sys/block/*/holders): take that apart "
				"first or choose another target",
				path, stack->devices[i].name);
	return 0;
}

int safety__check_device(const struct safety_view *view, const char *path, dev_t device,
			 struct refusal *why)
{
	struct stack stack;
	int err;

	err = stack__read(view->sysfs_path, device, &stack);
	if (err)
		return cannot_find_out(why, path, "what uses it (sysfs)", err);
	err = check_mounts(view, path, &stack, why);
	if (!err)
		err = check_swaps(view, path, &stack, NULL, why);
	if (!err)
		err = check_holders(path, &stack, why);
	if (!err)
		err = check_loops(view, path, &stack, NULL, why);
	if (!err && safety__sysfs_number(view, device, "ro", 0))
		err = refuse(why, SAFETY_READ_ONLY,
			     "%s is read-only: make it writable (blockdev --setrw %s) or replay "
			     "with --reads-only",
			     path, path);
	return err;
}

int safety__check_zoned(const struct safety_view *view, const char *path, dev_t device,
			struct refusal *why)
{
	if (!safety__sysfs_number(view, device, "queue/nr_zones", 0))
		return 0;
	return refuse(
		why, SAFETY_ZONED,
		"%s is a zoned device, which cannot be written out of order, and the source has no "
		"zone operations: choose another target or replay with --reads-only",
		path);
}

int safety__check_file(const struct safety_view *view, const char *path, const struct stat *file,
		       struct refusal *why)
{
	int err = check_swaps(view, path, NULL, file, why);

	return err ? err : check_loops(view, path, NULL, file, why);
}
