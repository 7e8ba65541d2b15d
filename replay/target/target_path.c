// SPDX-License-Identifier: MIT
#include "replay/target/target_path.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/path_walk.h"

/* Their files are no data: to write to one changes the kernel, the firmware or other programs. */
static const struct {
	unsigned int magic;
	const char *name;
} kernel_file_systems[] = {
	{PROC_SUPER_MAGIC, "proc"},	  {SYSFS_MAGIC, "sysfs"},
	{CGROUP_SUPER_MAGIC, "cgroup"},	  {CGROUP2_SUPER_MAGIC, "cgroup2"},
	{DEBUGFS_MAGIC, "debugfs"},	  {TRACEFS_MAGIC, "tracefs"},
	{SECURITYFS_MAGIC, "securityfs"}, {SELINUX_MAGIC, "selinuxfs"},
	{SMACK_MAGIC, "smackfs"},	  {EFIVARFS_MAGIC, "efivarfs"},
	{PSTOREFS_MAGIC, "pstore"},	  {BPF_FS_MAGIC, "bpf"},
	{BINFMTFS_MAGIC, "binfmt_misc"},  {0x62656570, "configfs"},
	{0x65735543, "fusectl"},
};

/* Programs on other machines open their files, too. */
static const struct {
	unsigned int magic;
	const char *name;
} network_file_systems[] = {
	{NFS_SUPER_MAGIC, "NFS"},     {SMB_SUPER_MAGIC, "SMB"},	  {SMB2_SUPER_MAGIC, "SMB"},
	{CIFS_SUPER_MAGIC, "SMB"},    {CEPH_SUPER_MAGIC, "Ceph"}, {AFS_SUPER_MAGIC, "AFS"},
	{AFS_FS_MAGIC, "AFS"},	      {V9FS_MAGIC, "9P"},	  {CODA_SUPER_MAGIC, "Coda"},
	{OCFS2_SUPER_MAGIC, "OCFS2"}, {0x01161970, "GFS2"},	  {0x20030528, "OrangeFS"},
	{0x786f4256, "vboxsf"},	      {0x0bd00bd0, "Lustre"},	  {0x19830326, "BeeGFS"},
	{0x47504653, "GPFS"},
};

/* Who uses the data of the file is known here, or nobody knows. */
static int check_owner_of_data(const char *path, const struct stat *file, unsigned int magic,
			       struct refusal *why)
{
	/* On a block device (fuseblk) the mount shows who uses it. */
	if (magic == FUSE_SUPER_MAGIC && !major(file->st_dev))
		return refuse(why, SAFETY_UNKNOWN,
			      "%s lies on FUSE: only the program behind it knows where the data "
			      "is and who uses it; make a new file there with --create-size or "
			      "choose another target",
			      path);
	for (size_t i = 0; i < sizeof(network_file_systems) / sizeof(network_file_systems[0]); i++)
		if (magic == network_file_systems[i].magic)
			return refuse(why, SAFETY_UNKNOWN,
				      "%s lies on %s: whether another machine uses it cannot be "
				      "seen from here; make a new file there with --create-size or "
				      "choose another target",
				      path, network_file_systems[i].name);
	return 0;
}

static int check_file_system(const char *path, const struct stat *file, struct refusal *why)
{
	struct statfs fs;

	if (!S_ISREG(file->st_mode))
		return 0;
	/* A program behind FUSE can refuse to answer. */
	if (statfs(path, &fs))
		return refuse(why, SAFETY_UNKNOWN,
			      "%s lies on a file system that does not say what it is (%s): who "
			      "uses it cannot be known; choose another target",
			      path, strerror(errno));
	for (size_t i = 0; i < sizeof(kernel_file_systems) / sizeof(kernel_file_systems[0]); i++)
		if ((unsigned int)fs.f_type == kernel_file_systems[i].magic)
			return refuse(why, SAFETY_KIND,
				      "%s is a file of the kernel (%s): name a block device or a "
				      "file on a disk",
				      path, kernel_file_systems[i].name);
	return check_owner_of_data(path, file, (unsigned int)fs.f_type, why);
}

/* Behind `prefix`, or NULL. */
static const char *behind(const char *path, const char *prefix)
{
	size_t length = strlen(prefix);

	return path && !strncmp(path, prefix, length) ? path + length : NULL;
}

static const char *behind_number(const char *path)
{
	size_t length = path ? strspn(path, "0123456789") : 0;

	return length ? path + length : NULL;
}

/* An open file is the target, whatever the text of the link says: /proc/PID/fd/3 and the like. */
static bool is_open_file(const char *path)
{
	const char *end = behind(path, "/dev/fd/"), *process = behind(path, "/proc/"), *task;

	if (!end) {
		process = behind(process, "self") ?: behind(process, "thread-self")
						  ?: behind_number(process);
		task = behind_number(behind(process, "/task/"));
		end = behind(task ?: process, "/fd/");
	}
	end = behind_number(end);
	return end && !*end;
}

static int changed(const char *path, struct refusal *why)
{
	return refuse(why, SAFETY_CHANGED, "%s changed while it was examined: try again", path);
}

/* No other user chooses what is written to: a link of theirs could lead to any file. */
static int check_links(const char *path, const struct stat *file, struct refusal *why)
{
	struct path_walk w;
	struct stat found;
	bool same;
	int err = path_walk__to(&w, path, true);

	if (err == -EXDEV)
		return refuse(why, SAFETY_LINK,
			      "%s is reached over a symbolic link that another user could have "
			      "made: name what it leads to (see 'readlink -f %s')",
			      path, path);
	if (err == -ELOOP)
		return refuse(why, SAFETY_LINK,
			      "%s is a link of the kernel, whose text can name another file than "
			      "it leads to: name the file itself",
			      path);
	if (err)
		return changed(path, why);
	same = !fstatat(w.folder, w.rest, &found, AT_SYMLINK_NOFOLLOW) &&
	       found.st_dev == file->st_dev && found.st_ino == file->st_ino;
	close(w.folder);
	return same ? 0 : changed(path, why);
}

int target_path__check(const char *path, const struct stat *file, struct refusal *why)
{
	int err = check_file_system(path, file, why);

	if (err || is_open_file(path))
		return err;
	return check_links(path, file, why);
}

/* Opening ------------------------------------------------------------------------------------ */

/* Whether the file itself forbids what its mode allows. */
static bool has_attribute(const char *path, uint64_t attribute)
{
	struct statx file;

	return !statx(AT_FDCWD, path, 0, 0, &file) && file.stx_attributes & attribute;
}

int target_path__cannot_open(const char *path, int err, struct refusal *why)
{
	if (err == EAGAIN)
		return refuse(
			why, SAFETY_BUSY,
			"%s is in use: another program, perhaps another replay, holds a lease "
			"on it; end that (see 'lslocks') or choose another target",
			path);
	if (err == ETXTBSY)
		return refuse(why, SAFETY_BUSY,
			      "%s is in use: it is a program that runs, or swap; choose another "
			      "target",
			      path);
	if (err == EBUSY)
		return refuse(why, SAFETY_BUSY,
			      "%s is in use: another program holds it exclusively; end that (see "
			      "'lsof %s') or choose another target",
			      path, path);
	if (err == EROFS)
		return refuse(why, SAFETY_READ_ONLY,
			      "%s lies on a file system that is mounted read-only: mount it "
			      "writable or replay with --reads-only",
			      path);
	if (err == EPERM && has_attribute(path, STATX_ATTR_IMMUTABLE))
		return refuse(why, SAFETY_READ_ONLY,
			      "%s is immutable: chattr -i first or choose another target", path);
	if (err == EPERM && has_attribute(path, STATX_ATTR_APPEND))
		return refuse(why, SAFETY_READ_ONLY,
			      "%s can only grow: chattr -a first or choose another target", path);
	why->rule = SAFETY_NO_RULE;
	snprintf(why->text, sizeof(why->text), "%s: cannot open it: %s", path, strerror(err));
	return -err;
}
