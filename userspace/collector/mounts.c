#include "collector/mounts.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include <libmount.h>

struct mounts {
	struct libmnt_table *table;
	time_t read_s;
};

int mounts__create(struct mounts **mounts)
{
	*mounts = calloc(1, sizeof(**mounts));
	return *mounts ? 0 : -ENOMEM;
}

void mounts__free(struct mounts *mounts)
{
	if (!mounts)
		return;
	mnt_unref_table(mounts->table);
	free(mounts);
}

/* A file system of several devices (btrfs) has a number of its own, and names one of them. */
static bool is_on_device(struct libmnt_fs *fs, dev_t device)
{
	const char *source = mnt_fs_get_source(fs);
	dev_t number = mnt_fs_get_devno(fs);
	struct stat st;

	if (major(number) || !source || source[0] != '/')
		return number == device;
	return !stat(source, &st) && S_ISBLK(st.st_mode) && st.st_rdev == device;
}

/* The last mount of the whole file system wins, as it hides the earlier ones. */
static const char *find_point(struct mounts *mounts, dev_t device)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_BACKWARD);
	const char *point = "";
	struct libmnt_fs *fs;

	while (mounts->table && iter && !mnt_table_next_fs(mounts->table, iter, &fs)) {
		const char *root = mnt_fs_get_root(fs);

		if (!root || strcmp(root, "/") || !is_on_device(fs, device))
			continue;
		point = mnt_fs_get_target(fs);
		break;
	}
	mnt_free_iter(iter);
	return point ? point : "";
}

const char *mounts__point(struct mounts *mounts, uint32_t major_number, uint32_t minor_number)
{
	dev_t device = makedev(major_number, minor_number);
	const char *point = find_point(mounts, device);
	time_t now_s = time(NULL);

	if (*point || mounts->read_s == now_s)
		return point;
	mnt_unref_table(mounts->table);
	mounts->table = mnt_new_table_from_file("/proc/self/mountinfo");
	mounts->read_s = now_s;
	return find_point(mounts, device);
}
