// SPDX-License-Identifier: MIT
#include "replay/target/openers.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "replay/target/namespaces.h"
#include "replay/target/storage_tree.h"

struct search {
	const struct safety_view *view;
	struct storage_tree tree;
	dev_t device; /* of the descriptor that was found; 0: a file */
};

static bool same_file(const struct storage_tree *tree, const struct stat *file)
{
	for (unsigned int i = 0; i < tree->count; i++)
		for (unsigned int k = 0; k < tree->levels[i].at.file_count; k++)
			if (!tree->levels[i].reads_only &&
			    tree->levels[i].at.files[k].device == file->st_dev &&
			    tree->levels[i].at.files[k].inode == file->st_ino)
				return true;
	return false;
}

static bool is_part_of(struct search *s, const struct stat *file)
{
	struct storage_tree other;
	struct storage storage;

	s->device = 0;
	if (S_ISREG(file->st_mode))
		return same_file(&s->tree, file);
	if (!S_ISBLK(file->st_mode))
		return false;
	storage__of_device(s->view, file->st_rdev, &storage);
	storage_tree__follow(s->view, &storage, &other);
	if (storage_tree__overlap(&s->tree, &other, NULL) != STORAGE_SHARED)
		return false;
	s->device = file->st_rdev;
	return true;
}

/* `folder` is that of a process or a thread. */
static bool is_for_writing(const char *folder, const char *number)
{
	char path[PATH_MAX];
	unsigned int flags = 0;
	FILE *file;
	int fields;

	snprintf(path, sizeof(path), "%s/fdinfo/%s", folder, number);
	file = fopen(path, "re");
	if (!file)
		return false; /* it was closed */
	fields = fscanf(file, "pos: %*d flags: %o", &flags);
	fclose(file);
	return fields == 1 && (flags & O_ACCMODE) != O_RDONLY && !(flags & O_PATH);
}

static bool look_at_descriptors(struct search *s, const char *folder)
{
	char path[PATH_MAX];
	struct dirent *entry;
	struct stat file;
	bool found = false;
	DIR *fds;

	snprintf(path, sizeof(path), "%s/fd", folder);
	fds = opendir(path);
	if (!fds)
		return false;
	while (!found && (entry = readdir(fds)))
		found = entry->d_name[0] != '.' && !fstatat(dirfd(fds), entry->d_name, &file, 0) &&
			is_part_of(s, &file) && is_for_writing(folder, entry->d_name);
	closedir(fds);
	return found;
}

static bool share_descriptors(pid_t pid, pid_t thread)
{
	return thread == pid || !syscall(SYS_kcmp, pid, thread, KCMP_FILES, 0, 0);
}

/* A thread can have descriptors of its own, and outlive the first one, whose folder is then empty. */
static bool look_at_threads(struct search *s, pid_t pid)
{
	char folder[80], path[PATH_MAX];
	bool found = false;
	pid_t thread;
	DIR *tasks;

	snprintf(folder, sizeof(folder), "%s/%d", s->view->proc_path, (int)pid);
	snprintf(path, sizeof(path), "%s/task", folder);
	tasks = opendir(path);
	if (!tasks)
		return false;
	while (!found && (thread = namespaces__next_process(tasks))) {
		snprintf(path, sizeof(path), "%s/task/%d", folder, (int)thread);
		found = !share_descriptors(pid, thread) && look_at_descriptors(s, path);
	}
	closedir(tasks);
	return found;
}

/* What a process wrote into memory reaches the device, although it has closed it. */
static bool look_at_memory(struct search *s, pid_t pid)
{
	char path[128], line[PATH_MAX + 128], place[64], rights[8];
	struct stat file;
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "%s/%d/maps", s->view->proc_path, (int)pid);
	maps = fopen(path, "re");
	if (!maps)
		return false;
	while (!found && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%63s %7s", place, rights) != 2 || rights[1] != 'w' ||
		    rights[3] != 's')
			continue;
		snprintf(path, sizeof(path), "%s/%d/map_files/%s", s->view->proc_path, (int)pid,
			 place);
		found = !stat(path, &file) && is_part_of(s, &file);
	}
	fclose(maps);
	return found;
}

/* While a replay runs, somebody has to open the target first: that shows. */
static bool look_at(struct search *s, pid_t pid, bool but_self)
{
	char folder[80];

	snprintf(folder, sizeof(folder), "%s/%d", s->view->proc_path, (int)pid);
	if (but_self)
		return pid != getpid() && look_at_descriptors(s, folder);
	return look_at_descriptors(s, folder) || look_at_threads(s, pid) || look_at_memory(s, pid);
}

static void read_name(const struct safety_view *view, struct opener *opener)
{
	char path[80];
	FILE *file;

	strcpy(opener->name, "?");
	snprintf(path, sizeof(path), "%s/%d/comm", view->proc_path, (int)opener->pid);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(opener->name, sizeof(opener->name), file))
		opener->name[strcspn(opener->name, "\n")] = '\0';
	fclose(file);
}

bool openers__find(const struct safety_view *view, const struct storage *storage, bool but_self,
		   struct opener *opener)
{
	struct search s = {.view = view};
	bool found = false;
	pid_t pid;
	DIR *proc = view->proc_path ? opendir(view->proc_path) : NULL;

	if (!proc)
		return false;
	storage_tree__follow(view, storage, &s.tree);
	while (!found && (pid = namespaces__next_process(proc)))
		found = look_at(&s, pid, but_self);
	closedir(proc);
	opener->pid = pid;
	opener->device = s.device == storage->device ? 0 : s.device;
	if (found)
		read_name(view, opener);
	return found;
}
