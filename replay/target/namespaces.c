// SPDX-License-Identifier: MIT
#include "replay/target/namespaces.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* More are not looked at twice, but perhaps a second time. */
#define SEEN_MAX 1024

pid_t namespaces__next_process(void *proc)
{
	struct dirent *entry;

	while ((entry = readdir(proc)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			return (pid_t)atoi(entry->d_name);
	return 0;
}

static bool is_new(ino_t *seen, unsigned int *count, ino_t inode)
{
	for (unsigned int i = 0; i < *count; i++)
		if (seen[i] == inode)
			return false;
	if (*count < SEEN_MAX)
		seen[(*count)++] = inode;
	return true;
}

bool namespaces__each_mount(const char *proc_path, bool (*look)(void *context, pid_t pid),
			    void *context)
{
	ino_t seen[SEEN_MAX];
	unsigned int count = 0;
	char path[80];
	struct stat file;
	bool done = false;
	DIR *proc = opendir(proc_path);
	pid_t pid;

	if (!proc)
		return false;
	snprintf(path, sizeof(path), "%s/self/ns/mnt", proc_path);
	if (!stat(path, &file))
		is_new(seen, &count, file.st_ino);
	while (!done && (pid = namespaces__next_process(proc))) {
		snprintf(path, sizeof(path), "%s/%d/ns/mnt", proc_path, (int)pid);
		if (!stat(path, &file) && is_new(seen, &count, file.st_ino))
			done = look(context, pid);
	}
	closedir(proc);
	return done;
}
