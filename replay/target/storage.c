// SPDX-License-Identifier: MIT
#include "replay/target/storage.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/mount_table.h"
#include "replay/target/namespaces.h"
#include "replay/target/overlay.h"

#define TRANSITION_TICKS   200
#define TRANSITION_TICK_NS 10000000l

static dev_t disk_of(const struct safety_view *view, dev_t device)
{
	char path[PATH_MAX];
	dev_t disk;

	snprintf(path, sizeof(path), "%s/dev/block/%u:%u/partition", view->sysfs_path,
		 major(device), minor(device));
	if (access(path, F_OK))
		return device;
	snprintf(path, sizeof(path), "%s/dev/block/%u:%u/..", view->sysfs_path, major(device),
		 minor(device));
	return safety__read_number(path, &disk) ? device : disk;
}

void storage__of_device(const struct safety_view *view, dev_t device, struct storage *s)
{
	*s = (struct storage){.block = true, .device = device, .disk = disk_of(view, device)};
}

static void add_file(struct storage *s, const struct stat *file)
{
	if (s->file_count < STORAGE_FILES_MAX)
		s->files[s->file_count++] = (struct storage_file){file->st_dev, file->st_ino};
	else
		s->unknown = true;
}

/* Overlayfs --------------------------------------------------------------------------------- */

struct real_search {
	const char *proc_path;
	int fd, real;
};

static bool find_real(void *context, pid_t pid)
{
	struct real_search *search = context;
	char root[64], mountinfo[80];

	snprintf(root, sizeof(root), "%s/%d/root", search->proc_path, (int)pid);
	snprintf(mountinfo, sizeof(mountinfo), "%s/%d/mountinfo", search->proc_path, (int)pid);
	search->real = overlay__open_real(search->fd, root, mountinfo);
	return search->real >= 0;
}

/* Its mount can be one of another mount namespace, or name directories of another one. */
static int open_real(const struct safety_view *view, int fd)
{
	struct real_search search = {view->proc_path, fd, -ENOENT};

	search.real = overlay__open_real(fd, "", view->mountinfo_path);
	if (search.real < 0 && view->proc_path)
		namespaces__each_mount(view->proc_path, find_real, &search);
	return search.real;
}

int storage__of_fd(const struct safety_view *view, int fd, struct storage *s)
{
	struct stat file;
	int at = dup(fd);

	*s = (struct storage){0};
	while (at >= 0) {
		int real = -1;

		if (fstat(at, &file)) {
			close(at);
			return -errno;
		}
		if (S_ISBLK(file.st_mode)) {
			storage__of_device(view, file.st_rdev, s);
		} else {
			add_file(s, &file);
			if (overlay__has(at)) {
				real = open_real(view, at);
				s->unknown |= real < 0;
			}
		}
		close(at);
		at = real;
	}
	return s->block || s->file_count ? 0 : -EBADF;
}

int storage__open_real(const struct safety_view *view, int fd)
{
	char path[64];
	int real, readable;

	if (!overlay__has(fd))
		return -ENOENT;
	real = open_real(view, fd);
	if (real < 0)
		return real;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", real);
	readable = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	close(real);
	return readable < 0 ? -errno : readable;
}

/* Loop devices ------------------------------------------------------------------------------ */

struct backing_search {
	const struct safety_view *view;
	const struct stat *file; /* wanted; NULL: whatever has the name */
	struct storage_loop *loop;
};

static bool try_path(struct backing_search *search, const char *root)
{
	struct storage_loop *loop = search->loop;
	char path[2 * PATH_MAX];
	struct stat file;
	bool found;
	int fd;

	snprintf(path, sizeof(path), "%s%s", root, loop->backing_path);
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return false;
	found = !fstat(fd, &file) &&
		(!search->file ||
		 (file.st_dev == search->file->st_dev && file.st_ino == search->file->st_ino)) &&
		!storage__of_fd(search->view, fd, &loop->backing);
	close(fd);
	return found;
}

static bool try_namespace(void *context, pid_t pid)
{
	struct backing_search *search = context;
	char root[64];

	snprintf(root, sizeof(root), "%s/%d/root", search->view->proc_path, (int)pid);
	return try_path(search, root);
}

struct device_search {
	const char *proc_path;
	dev_t device;
	bool found, overlay;
};

static bool look_for_device(struct device_search *search, const char *mountinfo_path)
{
	struct mount_table *table;

	if (mount_table__read(mountinfo_path, &table))
		return false;
	for (size_t i = 0; i < table->count && !search->found; i++) {
		search->found = table->entries[i].device == search->device;
		search->overlay = !strcmp(table->entries[i].type, "overlay");
	}
	mount_table__free(table);
	return search->found;
}

static bool look_in_namespace(void *context, pid_t pid)
{
	struct device_search *search = context;
	char path[80];

	snprintf(path, sizeof(path), "%s/%d/mountinfo", search->proc_path, (int)pid);
	return look_for_device(search, path);
}

/* Only file systems without a block device of their own can be an overlayfs. */
static bool is_perhaps_overlay(const struct safety_view *view, dev_t device)
{
	struct device_search search = {.proc_path = view->proc_path, .device = device};

	if (major(device))
		return false;
	if (!look_for_device(&search, view->mountinfo_path) && view->proc_path)
		namespaces__each_mount(view->proc_path, look_in_namespace, &search);
	return !search.found || search.overlay;
}

/* The name can be deleted, or one of another mount namespace. */
static void name_backing(const struct safety_view *view, struct storage_loop *loop,
			 const struct stat *file)
{
	struct backing_search search = {view, file, loop};

	if (!is_perhaps_overlay(view, file->st_dev)) {
		loop->backing = (struct storage){0};
		add_file(&loop->backing, file);
		return;
	}
	if (try_path(&search, "") ||
	    (view->proc_path && namespaces__each_mount(view->proc_path, try_namespace, &search)))
		return;
	loop->backing = (struct storage){.unknown = true};
	add_file(&loop->backing, file);
}

static int ask_driver(const struct safety_view *view, struct storage_loop *loop)
{
	struct loop_info64 info;
	char path[PATH_MAX];
	struct stat file;
	int fd, err;

	snprintf(path, sizeof(path), "/dev/%s", loop->name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	err = ioctl(fd, LOOP_GET_STATUS64, &info) ? -errno : 0;
	close(fd);
	if (err)
		return err;
	file = (struct stat){.st_dev = (dev_t)info.lo_device, .st_ino = (ino_t)info.lo_inode};
	if (info.lo_rdevice)
		storage__of_device(view, (dev_t)info.lo_rdevice, &loop->backing);
	else
		name_backing(view, loop, &file);
	return 0;
}

static bool read_backing_path(const struct safety_view *view, struct storage_loop *loop)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/block/%s/loop/backing_file", view->sysfs_path, loop->name);
	file = fopen(path, "re");
	if (!file)
		return false; /* not attached */
	if (!fgets(loop->backing_path, sizeof(loop->backing_path), file))
		loop->backing_path[0] = '\0';
	loop->backing_path[strcspn(loop->backing_path, "\n")] = '\0';
	fclose(file);
	return true;
}

/* While it is attached or detached, sysfs has a loop device that the driver does not. */
bool storage__read_loop(const struct safety_view *view, const char *name, struct storage_loop *loop)
{
	const struct timespec tick = {.tv_nsec = TRANSITION_TICK_NS};
	struct backing_search search = {view, NULL, loop};
	int err;

	snprintf(loop->name, sizeof(loop->name), "%s", name);
	for (unsigned int i = 0; i < TRANSITION_TICKS; i++) {
		if (!read_backing_path(view, loop))
			return false;
		err = ask_driver(view, loop);
		if (!err)
			return true;
		if (err != -ENXIO)
			break;
		nanosleep(&tick, NULL);
	}
	if (!try_path(&search, ""))
		loop->backing = (struct storage){.unknown = true};
	return true;
}

int storage__open_device(const struct safety_view *view, dev_t device, int flags)
{
	char path[PATH_MAX], line[256], name[256], node[300] = "";
	struct stat file;
	FILE *uevent;
	int fd;

	snprintf(path, sizeof(path), "%s/dev/block/%u:%u/uevent", view->sysfs_path, major(device),
		 minor(device));
	uevent = fopen(path, "re");
	if (!uevent)
		return -errno;
	while (!node[0] && fgets(line, sizeof(line), uevent))
		if (sscanf(line, "DEVNAME=%255s", name) == 1)
			snprintf(node, sizeof(node), "/dev/%s", name);
	fclose(uevent);
	fd = open(node, flags);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &file) && S_ISBLK(file.st_mode) && file.st_rdev == device)
		return fd;
	close(fd);
	return -ENODEV;
}
