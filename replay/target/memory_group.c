// SPDX-License-Identifier: MIT
#include "replay/target/memory_group.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TRIES	 50
#define TRY_WAIT 20000000L /* ns */
#define NAME	 "blkreel-replay-"

/* Of a process: a number alone can belong to another process later. */
struct owner {
	int pid;
	uint64_t start;	  /* clock ticks since boot */
	uint64_t numbers; /* the PID namespace */
};

struct hierarchy {
	const char *root, *limit_file;
};

static const struct hierarchy hierarchies[] = {
	{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
	{"/sys/fs/cgroup", "memory.max"},
	{"/sys/fs/cgroup/unified", "memory.max"},
};

static int write_number(const char *folder, const char *name, uint64_t number)
{
	char path[MEMORY_GROUP_PATH_MAX + 32], text[24];
	int length = snprintf(text, sizeof(text), "%" PRIu64, number), fd, err = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, (size_t)length) != length)
		err = -errno;
	close(fd);
	return err;
}

/* Field 22 of /proc/PID/stat; the name in field 2 can hold anything. False: no such process. */
static bool find_start(int pid, uint64_t *start)
{
	char path[64], line[1024] = "", *at;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (!fgets(line, sizeof(line), file))
		*line = '\0';
	fclose(file);
	at = strrchr(line, ')');
	for (int field = 2; at && field < 22; field++)
		at = strchr(at + 1, ' ');
	return at && sscanf(at, "%" SCNu64, start) == 1;
}

static bool find_self(struct owner *self)
{
	struct stat numbers;

	self->pid = (int)getpid();
	if (stat("/proc/self/ns/pid", &numbers))
		return false;
	self->numbers = numbers.st_ino;
	return find_start(self->pid, &self->start);
}

static void write_name(char name[64], const struct owner *o)
{
	snprintf(name, 64, NAME "%d-%" PRIu64 "-%" PRIu64, o->pid, o->start, o->numbers);
}

/* Whether the name is one that write_name() made in this PID namespace, for a process that is gone. */
static bool is_left_behind(const char *name, const struct owner *self)
{
	uint64_t start;
	struct owner o;
	char again[64];

	if (sscanf(name, NAME "%d-%" SCNu64 "-%" SCNu64, &o.pid, &o.start, &o.numbers) != 3)
		return false;
	write_name(again, &o);
	return !strcmp(name, again) && o.numbers == self->numbers &&
	       (!find_start(o.pid, &start) || start != o.start);
}

/* A replay that was killed leaves its group. The kernel removes only a group without processes. */
static void remove_left_behind(const char *root, const struct owner *self)
{
	struct dirent *entry;
	DIR *folder = opendir(root);

	while (folder && (entry = readdir(folder)))
		if (is_left_behind(entry->d_name, self))
			unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR);
	if (folder)
		closedir(folder);
}

static int try_hierarchy(struct memory_group *g, const struct hierarchy *h, uint64_t limit_bytes)
{
	char file[MEMORY_GROUP_PATH_MAX + 32], name[64];
	struct owner self;
	int err;

	if (!find_self(&self))
		return -ENOTSUP;
	remove_left_behind(h->root, &self);
	write_name(name, &self);
	snprintf(g->path, sizeof(g->path), "%s/%s", h->root, name);
	if (mkdir(g->path, 0755))
		return -errno;
	snprintf(file, sizeof(file), "%s/%s", g->path, h->limit_file);
	err = access(file, F_OK) ? -ENOTSUP : write_number(g->path, h->limit_file, limit_bytes);
	if (err)
		rmdir(g->path);
	return err;
}

int memory_group__create(struct memory_group *g, uint64_t limit_bytes,
			 char message[MEMORY_GROUP_MESSAGE_MAX])
{
	int err = -ENOTSUP, last;

	for (unsigned int i = 0; i < sizeof(hierarchies) / sizeof(hierarchies[0]); i++) {
		last = try_hierarchy(g, &hierarchies[i], limit_bytes);
		if (!last)
			return 0;
		if (last == -EPERM || last == -EACCES)
			err = last;
	}
	*g->path = '\0';
	if (err == -ENOTSUP)
		snprintf(
			message, MEMORY_GROUP_MESSAGE_MAX,
			"--memory: no control groups that limit memory below /sys/fs/cgroup; mount "
			"them, or leave --memory out");
	else
		snprintf(message, MEMORY_GROUP_MESSAGE_MAX,
			 "--memory: no permission to make a control group; run as root, or leave "
			 "--memory out");
	return err;
}

int memory_group__enter(const struct memory_group *g)
{
	return *g->path ? write_number(g->path, "cgroup.procs", (uint64_t)getpid()) : 0;
}

bool memory_group__was_short(const struct memory_group *g)
{
	static const char *const files[] = {"memory.oom_control", "memory.events"};
	unsigned long long kills = 0;

	for (unsigned int i = 0; i < sizeof(files) / sizeof(files[0]) && !kills; i++) {
		char path[MEMORY_GROUP_PATH_MAX + 32], line[128];
		FILE *file;

		snprintf(path, sizeof(path), "%s/%s", g->path, files[i]);
		file = fopen(path, "re");
		while (file && !kills && fgets(line, sizeof(line), file))
			if (sscanf(line, "oom_kill %llu", &kills) != 1)
				kills = 0;
		if (file)
			fclose(file);
	}
	return kills;
}

/* A process that has just ended can still be in the group for a moment. */
int memory_group__remove(struct memory_group *g)
{
	struct timespec pause = {.tv_nsec = TRY_WAIT};
	int err = 0;

	if (!*g->path)
		return 0;
	for (unsigned int i = 0; i < TRIES; i++) {
		err = rmdir(g->path) ? -errno : 0;
		if (err != -EBUSY)
			break;
		nanosleep(&pause, NULL);
	}
	*g->path = '\0';
	return err == -ENOENT ? 0 : err;
}
