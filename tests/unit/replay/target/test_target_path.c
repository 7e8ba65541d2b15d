// SPDX-License-Identifier: MIT
/* Files of file systems that a test cannot mount: statfs(2) says what it is told to. */
#include "unit/shared/test.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "replay/target/target_path.h"

static char folder[] = "/tmp/blkreel-target-path-XXXXXX";
static unsigned int magic;

/* Replaces the C library's. */
int statfs(const char *path, struct statfs *fs)
{
	if (!magic)
		errno = ENOSYS;
	*fs = (struct statfs){.f_type = (__typeof__(fs->f_type))magic};
	return magic ? 0 : -1;
}

/* A file that the path leads to, on a file system of this kind and device; 0: on that where it is. */
static int check_path(const char *path, unsigned int file_system, dev_t device, struct refusal *why)
{
	struct stat file;

	*why = (struct refusal){0};
	if (stat(path, &file))
		return -errno;
	if (device)
		file.st_dev = device;
	magic = file_system;
	return target_path__check(path, &file, why);
}

static int check_on(unsigned int file_system, dev_t device, struct refusal *why)
{
	return check_path("disk", file_system, device, why);
}

static void a_network_file_system_is_refused_by_its_name(void)
{
	static const struct {
		unsigned int magic;
		const char *text;
	} all[] = {
		{NFS_SUPER_MAGIC, "disk lies on NFS: whether another machine uses it"},
		{SMB_SUPER_MAGIC, "disk lies on SMB: "},
		{SMB2_SUPER_MAGIC, "disk lies on SMB: "},
		{CIFS_SUPER_MAGIC, "disk lies on SMB: "},
		{CEPH_SUPER_MAGIC, "disk lies on Ceph: "},
		{AFS_SUPER_MAGIC, "disk lies on AFS: "},
		{AFS_FS_MAGIC, "disk lies on AFS: "},
		{V9FS_MAGIC, "disk lies on 9P: "},
		{CODA_SUPER_MAGIC, "disk lies on Coda: "},
		{OCFS2_SUPER_MAGIC, "disk lies on OCFS2: "},
		{0x01161970, "disk lies on GFS2: "},
		{0x20030528, "disk lies on OrangeFS: "},
		{0x786f4256, "disk lies on vboxsf: "},
		{0x0bd00bd0, "disk lies on Lustre: "},
		{0x19830326, "disk lies on BeeGFS: "},
		{0x47504653, "disk lies on GPFS: "},
	};
	struct refusal why;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		CHECK_EQ(check_on(all[i].magic, 0, &why), -EPERM);
		CHECK_EQ(why.rule, SAFETY_UNKNOWN);
		CHECK(!strncmp(why.text, all[i].text, strlen(all[i].text)));
		CHECK(strstr(why.text, "--create-size"));
	}
}

static void fuse_is_refused_but_on_a_block_device(void)
{
	struct refusal why;

	CHECK_EQ(check_on(FUSE_SUPER_MAGIC, makedev(0, 45), &why), -EPERM);
	CHECK_EQ(why.rule, SAFETY_UNKNOWN);
	CHECK(strstr(why.text, "disk lies on FUSE: "));
	/* It goes on to the next check: the path does not lead to a file on that device. */
	CHECK_EQ(check_on(FUSE_SUPER_MAGIC, makedev(8, 1), &why), -EPERM);
	CHECK_EQ(why.rule, SAFETY_CHANGED);
}

static void a_file_system_that_does_not_answer_is_refused(void)
{
	struct refusal why;

	CHECK_EQ(check_on(0, 0, &why), -EPERM);
	CHECK_EQ(why.rule, SAFETY_UNKNOWN);
	CHECK(strstr(why.text, "does not say what it is (Function not implemented)"));
}

static void files_of_the_kernel_are_refused(void)
{
	struct refusal why;

	CHECK_EQ(check_on(SYSFS_MAGIC, 0, &why), -EPERM);
	CHECK_EQ(why.rule, SAFETY_KIND);
	CHECK(strstr(why.text, "(sysfs)"));
	CHECK_EQ(check_on(CGROUP2_SUPER_MAGIC, 0, &why), -EPERM);
	CHECK_EQ(why.rule, SAFETY_KIND);
}

static void a_file_on_a_disk_is_accepted(void)
{
	struct refusal why;

	CHECK_EQ(check_on(EXT4_SUPER_MAGIC, 0, &why), 0);
	CHECK_EQ(check_on(TMPFS_MAGIC, 0, &why), 0);
	CHECK_EQ(check_on(EXT4_SUPER_MAGIC, makedev(0, 45), &why), -EPERM);
	CHECK_EQ(why.rule, SAFETY_CHANGED);
}

static void an_open_file_is_accepted_by_its_link(void)
{
	const char *const forms[] = {"/dev/fd/%d", "/proc/self/fd/%d", "/proc/thread-self/fd/%d",
				     "/proc/self/task/%2$d/fd/%1$d", "/proc/%2$d/fd/%1$d"};
	int fd = open("disk", O_RDONLY);
	struct refusal why;
	char path[64];

	REQUIRE(fd >= 0);
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(path, sizeof(path), forms[i], fd, (int)getpid());
		CHECK_EQ(check_path(path, EXT4_SUPER_MAGIC, 0, &why), 0);
	}
	close(fd);
}

static void other_links_of_proc_are_followed_step_by_step(void)
{
	int fd = open(".", O_RDONLY | O_DIRECTORY);
	struct refusal why;
	char path[64];

	REQUIRE(fd >= 0);
	CHECK_EQ(check_path("/proc/self/cwd/disk", EXT4_SUPER_MAGIC, 0, &why), 0);
	CHECK_EQ(check_path("/proc/self/exe", EXT4_SUPER_MAGIC, 0, &why), -EPERM);
	CHECK_EQ(why.rule, SAFETY_LINK);
	CHECK(strstr(why.text, "is a link of the kernel"));
	if (!geteuid()) {
		CHECK(!symlink("disk", "link") && !lchown("link", 65534, 65534) &&
		      !chown(".", 65534, 65534));
		CHECK_EQ(check_path("/proc/self/cwd/link", EXT4_SUPER_MAGIC, 0, &why), -EPERM);
		CHECK_EQ(why.rule, SAFETY_LINK);
		snprintf(path, sizeof(path), "/dev/fd/%d/link", fd);
		CHECK_EQ(check_path(path, EXT4_SUPER_MAGIC, 0, &why), -EPERM);
		CHECK_EQ(why.rule, SAFETY_LINK);
		unlink("link");
	}
	close(fd);
}

int main(void)
{
	int fd;

	if (!mkdtemp(folder) || chdir(folder))
		return EXIT_FAILURE;
	fd = open("disk", O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		return EXIT_FAILURE;
	close(fd);
	RUN(a_network_file_system_is_refused_by_its_name);
	RUN(fuse_is_refused_but_on_a_block_device);
	RUN(a_file_system_that_does_not_answer_is_refused);
	RUN(files_of_the_kernel_are_refused);
	RUN(a_file_on_a_disk_is_accepted);
	RUN(an_open_file_is_accepted_by_its_link);
	RUN(other_links_of_proc_are_followed_step_by_step);
	unlink("disk");
	if (chdir("/") || rmdir(folder))
		return EXIT_FAILURE;
	return TEST_RESULT;
}
