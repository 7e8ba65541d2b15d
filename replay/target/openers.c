// SPDX-License-Identifier: MIT
#include "replay/target/openers.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/target/namespaces.h"

static bool same_file(const struct storage_chain *chain, const struct stat *file)
{
	for (unsigned int i = 0; i < chain->count; i++)
		for (unsigned int k = 0; k < chain->levels[i].file_count; k++)
			if (chain->levels[i].files[k].device == file->st_dev &&
			    chain->levels[i].files[k].inode == file->st_ino)
				return true;
	return false;
}

static bool is_part_of(const struct safety_view *view, const struct storage_chain *chain,
		       const struct stat *file)
{
	struct storage_chain other;
	struct storage storage;

	if (S_ISREG(file->st_mode))
		return same_file(chain, file);
	if (!S_ISBLK(file->st_mode))
		return false;
	storage__of_device(view, file->st_rdev, &storage);
	storage__follow(view, &storage, &other);
	return storage__overlap(chain, &other) == STORAGE_SHARED;
}

static bool is_for_writing(const struct safety_view *view, pid_t pid, const char *number)
{
	char path[PATH_MAX];
	unsigned int flags = 0;
	FILE *file;
	int fields;

	snprintf(path, sizeof(path), "%s/%d/fdinfo/%s", view->proc_path, (int)pid, number);
	file = fopen(path, "re");
	if (!file)
		return false; /* it was closed */
	fields = fscanf(file, "pos: %*d flags: %o", &flags);
	fclose(file);
	return fields == 1 && (flags & O_ACCMODE) != O_RDONLY && !(flags & O_PATH);
}

static bool look_at(const struct safety_view *view, const struct storage_chain *chain, pid_t pid)
{
	char path[PATH_MAX];
	struct dirent *entry;
	struct stat file;
	bool found = false;
	DIR *fds;

	snprintf(path, sizeof(path), "%s/%d/fd", view->proc_path, (int)pid);
	fds = opendir(path);
	if (!fds)
		return false;
	while (!found && (entry = readdir(fds)))
		found = entry->d_name[0] != '.' && !fstatat(dirfd(fds), entry->d_name, &file, 0) &&
			is_part_of(view, chain, &file) && is_for_writing(view, pid, entry->d_name);
	closedir(fds);
	return found;
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
	struct storage_chain chain;
	bool found = false;
	pid_t pid;
	DIR *proc = view->proc_path ? opendir(view->proc_path) : NULL;

	if (!proc)
		return false;
	storage__follow(view, storage, &chain);
	while (!found && (pid = namespaces__next_process(proc)))
		found = !(but_self && pid == getpid()) && look_at(view, &chain, pid);
	closedir(proc);
	opener->pid = pid;
	if (found)
		read_name(view, opener);
	return found;
}
