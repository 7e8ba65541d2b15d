// SPDX-License-Identifier: MIT
#include "replay/target/exports.h"

#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "replay/target/storage_tree.h"

static bool read_attribute(const char *folder, const char *name, char line[PATH_MAX])
{
	char path[PATH_MAX + 16];
	FILE *file;
	bool got;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "re");
	got = file && fgets(line, PATH_MAX, file);
	if (file)
		fclose(file);
	if (got)
		line[strcspn(line, "\n")] = '\0';
	return got;
}

static bool shares_data(const struct safety_view *view, const struct storage_tree *tree,
			const char *folder)
{
	struct storage_tree exported_tree;
	struct storage exported;
	char line[PATH_MAX];
	int fd, err;

	if (!read_attribute(folder, "enable", line) || strcmp(line, "1") ||
	    !read_attribute(folder, "device_path", line))
		return false;
	fd = open(line, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return false;
	err = storage__of_fd(view, fd, &exported);
	close(fd);
	if (err)
		return false;
	storage_tree__follow(view, &exported, &exported_tree);
	return storage_tree__overlap(tree, &exported_tree, NULL) == STORAGE_SHARED;
}

bool exports__find(const struct safety_view *view, const struct storage *storage,
		   char folder[PATH_MAX])
{
	struct storage_tree tree;
	char pattern[PATH_MAX];
	glob_t found = {0};
	bool shares = false;

	snprintf(pattern, sizeof(pattern), "%s/kernel/config/nvmet/subsystems/*/namespaces/*",
		 view->sysfs_path);
	if (glob(pattern, 0, NULL, &found))
		return false;
	storage_tree__follow(view, storage, &tree);
	for (size_t i = 0; i < found.gl_pathc && !shares; i++) {
		snprintf(folder, PATH_MAX, "%s", found.gl_pathv[i]);
		shares = shares_data(view, &tree, folder);
	}
	globfree(&found);
	return shares;
}
