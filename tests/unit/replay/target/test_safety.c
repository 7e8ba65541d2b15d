// SPDX-License-Identifier: MIT
/* The safety rules, seen through a /proc and /sys of the test's own: no root, no devices. */
#include "unit/shared/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "replay/target/claims.h"
#include "replay/target/guard.h"
#include "replay/target/safety.h"
#include "replay/target/storage.h"
#include "unit/replay/target/fake_files.h"

#define DISK	  makedev(8, 0)
#define PARTITION makedev(8, 1)

static char mountinfo_path[128], swaps_path[128];
static struct safety_view view;

/* sda (8:0) with sda1 (8:1), and dm-0 (252:0) that has no part of it yet. */
static void make_system(void)
{
	static const char *const directories[] = {
		"dev",	    "dev/block",	"block", "sda",		"sda/holders", "sda/queue",
		"sda/sda1", "sda/sda1/holders", "dm-0",	 "dm-0/holders"};

	for (unsigned int i = 0; i < sizeof(directories) / sizeof(directories[0]); i++)
		make(directories[i]);
	put("sda/dev", "8:0\n");
	put("sda/ro", "0\n");
	put("sda/queue/nr_zones", "0\n");
	put("sda/sda1/dev", "8:1\n");
	put("sda/sda1/partition", "1\n");
	put("dm-0/dev", "252:0\n");
	point("dev/block/8:0", "../../sda");
	point("dev/block/8:1", "../../sda/sda1");
	put("mountinfo", "21 1 0:20 / /proc rw - proc proc rw\n");
	put("swaps", "Filename Type Size Used Priority\n");
	snprintf(mountinfo_path, sizeof(mountinfo_path), "%s/mountinfo", directory);
	snprintf(swaps_path, sizeof(swaps_path), "%s/swaps", directory);
	view = (struct safety_view){mountinfo_path, swaps_path, directory, NULL, NULL};
}

static struct refusal why;

static enum safety_rule rule_for(dev_t device)
{
	int err;

	why = (struct refusal){0};
	err = safety__check_device(&view, "/dev/it", device, &why);
	if (!err)
		err = safety__check_zoned(&view, "/dev/it", device, &why);
	if ((err == -EPERM) != (why.rule != SAFETY_NO_RULE))
		return SAFETY_CHANGED;
	return why.rule;
}

static void free_disk_is_accepted(void)
{
	CHECK_EQ(rule_for(DISK), SAFETY_NO_RULE);
	CHECK_EQ(rule_for(PARTITION), SAFETY_NO_RULE);
	CHECK_TEXT(why.text, "");
}

static void unknown_device_is_an_error(void)
{
	CHECK_EQ(safety__check_device(&view, "/dev/it", makedev(9, 9), &why), -ENODEV);
	CHECK_EQ(why.rule, SAFETY_NO_RULE);
	CHECK(strstr(why.text, "/dev/it") != NULL);
}

static void mounted_partition_refuses_the_disk(void)
{
	put("mountinfo", "21 1 0:20 / /proc rw - proc proc rw\n"
			 "22 1 8:1 / /srv/my\\040data rw - ext4 /dev/sda1 rw\n");
	CHECK_EQ(rule_for(DISK), SAFETY_MOUNTED);
	CHECK(strstr(why.text, "its partition sda1") != NULL);
	CHECK(strstr(why.text, "umount /srv/my data") != NULL);
	CHECK_EQ(rule_for(PARTITION), SAFETY_MOUNTED);
	put("mountinfo", "22 1 8:0 / /srv rw - ext4 /dev/sda rw\n");
	CHECK_EQ(rule_for(DISK), SAFETY_MOUNTED);
	put("mountinfo", "22 1 8:16 / /srv rw - ext4 /dev/sdb rw\n");
	CHECK_EQ(rule_for(DISK), SAFETY_NO_RULE);
}

static void unreadable_mounts_are_not_taken_for_none(void)
{
	struct safety_view blind = view;

	blind.mountinfo_path = "/does/not/exist";
	CHECK(safety__check_device(&blind, "/dev/it", DISK, &why) < 0);
}

static void holder_of_a_partition_refuses_the_disk(void)
{
	char path[256];

	point("sda/sda1/holders/dm-0", "../../../dm-0");
	CHECK_EQ(rule_for(DISK), SAFETY_HOLDERS);
	CHECK(strstr(why.text, "dm-0") != NULL);
	put("mountinfo", "22 1 252:0 / /home rw - xfs /dev/mapper/home rw\n");
	CHECK_EQ(rule_for(PARTITION), SAFETY_MOUNTED);
	CHECK(strstr(why.text, "umount /home") != NULL);
	put("mountinfo", "");
	CHECK_EQ(rule_for(PARTITION), SAFETY_HOLDERS);
	snprintf(path, sizeof(path), "%s/sda/sda1/holders/dm-0", directory);
	unlink(path);
	CHECK_EQ(rule_for(DISK), SAFETY_NO_RULE);
}

static void a_holder_of_two_partitions_is_followed_once(void)
{
	static const char *const links[] = {"sda/sda1/holders/dm-0", "sda/sda2/holders/dm-0",
					    "dev/block/8:2"};
	char path[256];

	make("sda/sda2");
	make("sda/sda2/holders");
	put("sda/sda2/dev", "8:2\n");
	put("sda/sda2/partition", "2\n");
	point(links[2], "../../sda/sda2");
	point(links[0], "../../../dm-0");
	point(links[1], "../../../dm-0");
	CHECK_EQ(rule_for(DISK), SAFETY_HOLDERS);
	put("mountinfo", "22 1 252:0 / /home rw - xfs /dev/mapper/home rw\n");
	CHECK_EQ(rule_for(DISK), SAFETY_MOUNTED);
	put("mountinfo", "");
	for (unsigned int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, links[i]);
		unlink(path);
	}
	CHECK_EQ(rule_for(DISK), SAFETY_NO_RULE);
}

static void a_holder_that_cannot_be_followed_is_not_taken_for_none(void)
{
	char path[256];

	point("sda/sda1/holders/dm-1", "../../../gone");
	CHECK_EQ(safety__check_device(&view, "/dev/it", DISK, &why), -ENOENT);
	CHECK_EQ(safety__check_device(&view, "/dev/it", PARTITION, &why), -ENOENT);
	snprintf(path, sizeof(path), "%s/sda/sda1/holders/dm-1", directory);
	unlink(path);
	CHECK_EQ(safety__check_device(&view, "/dev/it", DISK, &why), 0);
}

/* sdb (8:16) is another path to sda. */
static void make_another_path(void)
{
	make("block/sdb");
	make("block/sdb/device");
	make("block/sdb/holders");
	make("sda/device");
	put("block/sdb/dev", "8:16\n");
	put("block/sdb/device/wwid", "naa.5000c500a1b2c3d4\n");
	put("sda/device/wwid", "naa.5000c500a1b2c3d4\n");
	point("dev/block/8:16", "../../block/sdb");
}

/* The process 42 has it open. */
static void open_by_another_path(void)
{
	static const char *const folders[] = {"proc", "proc/42", "proc/42/fd", "proc/42/fdinfo"};

	for (unsigned int i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		make(folders[i]);
	put("proc/42/comm", "writer\n");
	put("proc/42/mountinfo", "");
	put("proc/42/fdinfo/3", "pos:\t0\nflags:\t0100002\n");
	point("proc/42/fd/3", "../../../node");
}

static void disk_that_is_in_use_by_another_path_is_refused(void)
{
	char path[256], proc[256];
	struct claims claims = {0};
	struct storage storage;

	storage__of_device(&view, DISK, &storage);
	CHECK_EQ(claims__take(&view, "/dev/it", &storage, &claims, &why), 0);
	make_another_path();
	CHECK_EQ(rule_for(DISK), SAFETY_NO_RULE);
	/* It would be held, but no such device exists here. */
	CHECK_EQ(claims__take(&view, "/dev/it", &storage, &claims, &why), -EPERM);
	CHECK_EQ(why.rule, SAFETY_BUSY);
	CHECK(strstr(why.text,
		     "/dev/sdb is another path to the disk of /dev/it, which cannot be") != NULL);
	snprintf(path, sizeof(path), "%s/node", directory);
	if (mknod(path, S_IFBLK | 0600, makedev(8, 16))) {
		printf("# skipped: needs root\n");
		return;
	}
	make("block/loop99999");
	make("block/loop99999/loop");
	put("block/loop99999/dev", "7:99999\n");
	put("block/loop99999/loop/backing_file", path);
	CHECK_EQ(rule_for(DISK), SAFETY_LOOP_BACKING);
	CHECK(strstr(why.text, "losetup -d /dev/loop99999") != NULL);
	snprintf(path, sizeof(path), "%s/block/loop99999/loop/backing_file", directory);
	unlink(path);
	CHECK_EQ(rule_for(DISK), SAFETY_NO_RULE);
	open_by_another_path();
	snprintf(proc, sizeof(proc), "%s/proc", directory);
	view.proc_path = proc;
	CHECK_EQ(rule_for(DISK), SAFETY_BUSY);
	CHECK(strstr(why.text, "/dev/it is the same disk as /dev/sdb by another path: process 42 "
			       "(writer) has it open") != NULL);
	view.proc_path = NULL;
}

static void disk_that_is_mounted_by_another_path_is_refused(void)
{
	CHECK_EQ(rule_for(DISK), SAFETY_NO_RULE);
	put("mountinfo", "22 1 8:16 / /srv rw - ext4 /dev/sdb rw\n");
	CHECK_EQ(rule_for(DISK), SAFETY_MOUNTED);
	CHECK(strstr(why.text, "the same disk as /dev/sdb by another path") != NULL);
	CHECK(strstr(why.text, "umount /srv") != NULL);
	put("block/sdb/device/wwid", "naa.5000c500a1b2c3d5\n");
	CHECK_EQ(rule_for(DISK), SAFETY_NO_RULE);
	/* Bridges give one serial number to all of their disks, or none. */
	put("block/sdb/device/wwid", "t10.ATA     disk\n");
	put("sda/device/wwid", "t10.ATA     disk\n");
	CHECK_EQ(rule_for(DISK), SAFETY_NO_RULE);
	put("block/sdb/device/wwid", "naa.0000000000000000\n");
	put("sda/device/wwid", "naa.0000000000000000\n");
	CHECK_EQ(rule_for(DISK), SAFETY_NO_RULE);
	put("mountinfo", "");
}

static void read_only_and_zoned_devices_are_refused(void)
{
	put("sda/ro", "1\n");
	CHECK_EQ(rule_for(DISK), SAFETY_READ_ONLY);
	CHECK(strstr(why.text, "--setrw") != NULL);
	put("sda/ro", "0\n");
	put("sda/queue/nr_zones", "1024\n");
	CHECK_EQ(rule_for(DISK), SAFETY_ZONED);
	CHECK_EQ(rule_for(PARTITION), SAFETY_ZONED);
	put("sda/queue/nr_zones", "0\n");
}

static int check_file(const char *name)
{
	char path[256];
	struct storage file;
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	fd = open(path, O_PATH);
	if (fd < 0)
		return -errno;
	err = storage__of_fd(&view, fd, &file);
	close(fd);
	return err ? err : safety__check_file(&view, path, &file, &why);
}

/* erofs mounts a file as it is. */
static void file_that_is_mounted_without_a_loop_device_is_refused(void)
{
	char line[512];

	put("image of a system", "x");
	put("other image", "x");
	snprintf(line, sizeof(line),
		 "22 1 0:50 / /srv ro - erofs %s/image\\040of\\040a\\040system ro\n", directory);
	put("mountinfo", line);
	CHECK_EQ(check_file("image of a system"), -EPERM);
	CHECK_EQ(why.rule, SAFETY_MOUNTED);
	CHECK(strstr(why.text, "umount /srv") != NULL);
	CHECK_EQ(check_file("other image"), 0);
	put("mountinfo", "22 1 0:50 / /srv ro - tmpfs none ro\n");
	CHECK_EQ(check_file("image of a system"), 0);
	put("mountinfo", "");
}

static void file_that_is_mounted_in_another_namespace_is_refused(void)
{
	char proc[256];

	snprintf(proc, sizeof(proc), "%s/proc7", directory);
	make("proc7");
	make("proc7/7");
	make("proc7/7/ns");
	put("proc7/7/ns/mnt", "");
	point("proc7/7/root", "../..");
	put("proc7/7/mountinfo", "22 1 0:50 / /srv ro - erofs /image\\040of\\040a\\040system ro\n");
	view.proc_path = proc;
	CHECK_EQ(check_file("image of a system"), -EPERM);
	CHECK_EQ(why.rule, SAFETY_MOUNTED);
	CHECK(strstr(why.text, "in the mount namespace of process 7") != NULL);
	CHECK_EQ(check_file("other image"), 0);
	view.proc_path = NULL;
}

/* A file stands for the device: the test has none. */
static void what_the_nvme_target_exports_is_refused(void)
{
	static const char *const folders[] = {"kernel",
					      "kernel/config",
					      "kernel/config/nvmet",
					      "kernel/config/nvmet/subsystems",
					      "kernel/config/nvmet/subsystems/nqn.a",
					      "kernel/config/nvmet/subsystems/nqn.a/namespaces",
					      "kernel/config/nvmet/subsystems/nqn.a/namespaces/3"};
	char path[256];
	struct storage file;
	int fd;

	for (unsigned int i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		make(folders[i]);
	put("exported", "x");
	snprintf(path, sizeof(path), "%s/exported\n", directory);
	put("kernel/config/nvmet/subsystems/nqn.a/namespaces/3/device_path", path);
	put("kernel/config/nvmet/subsystems/nqn.a/namespaces/3/enable", "1\n");
	path[strlen(path) - 1] = '\0';
	fd = open(path, O_RDONLY);
	REQUIRE(fd >= 0 && !storage__of_fd(&view, fd, &file));
	CHECK_EQ(guard__check_writers(&view, path, fd, &file, &why), -EPERM);
	CHECK_EQ(why.rule, SAFETY_BUSY);
	CHECK(strstr(why.text, "subsystems/nqn.a/namespaces/3/enable)") != NULL);
	put("kernel/config/nvmet/subsystems/nqn.a/namespaces/3/enable", "0\n");
	CHECK_EQ(guard__check_writers(&view, path, fd, &file, &why), 0);
	put("kernel/config/nvmet/subsystems/nqn.a/namespaces/3/enable", "1\n");
	put("kernel/config/nvmet/subsystems/nqn.a/namespaces/3/device_path", "/does/not/exist\n");
	CHECK_EQ(guard__check_writers(&view, path, fd, &file, &why), 0);
	close(fd);
}

/* What the refusal offers has to help. */
static void loop_device_whose_file_is_not_found_refuses_every_file(void)
{
	struct storage file = {.file_count = 1, .files = {{1, 7}}, .unknown = true};
	char path[256];

	make("block/loop99998");
	make("block/loop99998/loop");
	put("block/loop99998/dev", "7:99998\n");
	put("block/loop99998/loop/backing_file", "/does/not/exist\n");
	CHECK_EQ(check_file("other image"), -EPERM);
	CHECK_EQ(why.rule, SAFETY_LOOP_BACKING);
	CHECK(strstr(why.text, "(/does/not/exist)") != NULL);
	CHECK(strstr(why.text, geteuid() ? "run as root" : "losetup -d /dev/loop99998") != NULL);
	CHECK(strstr(why.text, "another file system") == NULL);
	snprintf(path, sizeof(path), "%s/image of a system", directory);
	put("block/loop99998/loop/backing_file", path);
	CHECK_EQ(check_file("other image"), 0);
	CHECK_EQ(safety__check_file(&view, "/it", &file, &why), -EPERM);
	CHECK(strstr(why.text, "choose a file on another file system") != NULL);
	snprintf(path, sizeof(path), "%s/block/loop99998/loop/backing_file", directory);
	unlink(path);
	CHECK_EQ(check_file("other image"), 0);
}

static void swap_file_is_refused(void)
{
	char path[256], line[512];
	struct storage file;
	int fd;

	put("page file", "x");
	snprintf(path, sizeof(path), "%s/page file", directory);
	fd = open(path, O_PATH);
	REQUIRE(fd >= 0);
	REQUIRE(!storage__of_fd(&view, fd, &file));
	close(fd);
	CHECK_EQ(safety__check_file(&view, path, &file, &why), 0);
	snprintf(line, sizeof(line),
		 "Filename Type Size Used Priority\n%s/page\\040file file 1 0 -2\n", directory);
	put("swaps", line);
	CHECK_EQ(safety__check_file(&view, path, &file, &why), -EPERM);
	CHECK_EQ(why.rule, SAFETY_SWAP);
	put("swaps", "Filename Type Size Used Priority\n");
}

/* The kernel writes a space, and what it means by that, as octal numbers. */
static void swap_file_with_a_backslash_is_refused(void)
{
	char path[256], line[512];
	struct storage file;
	int fd;

	put("page\\file", "x");
	snprintf(path, sizeof(path), "%s/page\\file", directory);
	fd = open(path, O_PATH);
	REQUIRE(fd >= 0);
	REQUIRE(!storage__of_fd(&view, fd, &file));
	close(fd);
	snprintf(line, sizeof(line),
		 "Filename Type Size Used Priority\n%s/page\\134file file 1 0 -2\n", directory);
	put("swaps", line);
	CHECK_EQ(safety__check_file(&view, path, &file, &why), -EPERM);
	CHECK_EQ(why.rule, SAFETY_SWAP);
	put("swaps", "Filename Type Size Used Priority\n");
}

/* Only a kernel without swap has no such file; without /proc nothing is known. */
static void a_missing_list_of_swaps_needs_the_processes(void)
{
	struct safety_view blind = view;
	char path[256];

	blind.swaps_path = "/does/not/exist";
	blind.proc_path = directory;
	CHECK_EQ(safety__check_device(&blind, "/dev/it", DISK, &why), -ENOENT);
	CHECK(strstr(why.text, "what is swap") != NULL);
	put("self", "");
	CHECK_EQ(safety__check_device(&blind, "/dev/it", DISK, &why), 0);
	snprintf(path, sizeof(path), "%s/self", directory);
	unlink(path);
}

static void only_disks_and_files_are_targets(void)
{
	static const mode_t refused[] = {S_IFDIR, S_IFCHR, S_IFIFO, S_IFSOCK};

	CHECK_EQ(safety__check_kind("x", S_IFBLK, &why), 0);
	CHECK_EQ(safety__check_kind("x", S_IFREG, &why), 0);
	for (unsigned int i = 0; i < 4; i++)
		CHECK_EQ(safety__check_kind("x", refused[i], &why), -EPERM);
}

static char contents[64];

static int signature_of(const char *const *forced, unsigned int count)
{
	char path[256];
	int fd, err;

	snprintf(path, sizeof(path), "%s/image", directory);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	err = safety__check_signatures(&view, path, fd, forced, count, contents, sizeof(contents),
				       &why);
	close(fd);
	return err;
}

static void force_of_its_name_alone_overrides_a_signature(void)
{
	static const char *const other[] = {"xfs", "ext4"};
	static const char *const right[] = {"xfs", "dos"};
	char path[256];
	uint8_t mbr[512] = {
		[446 + 4] = 0x83, [446 + 9] = 8, [446 + 13] = 64, [510] = 0x55, [511] = 0xaa};
	FILE *file;

	put("image", "");
	snprintf(path, sizeof(path), "%s/image", directory);
	REQUIRE(!truncate(path, 8 << 20));
	CHECK_EQ(signature_of(NULL, 0), 0);
	file = fopen(path, "r+");
	REQUIRE(file);
	CHECK_EQ(fwrite(mbr, 1, sizeof(mbr), file), sizeof(mbr));
	fclose(file);
	CHECK_EQ(signature_of(NULL, 0), -EPERM);
	CHECK_EQ(why.rule, SAFETY_SIGNATURE);
	CHECK(strstr(why.text, "--force dos") != NULL);
	CHECK_EQ(signature_of(other, 2), -EPERM);
	CHECK_EQ(signature_of(right, 2), 0);
	CHECK_TEXT(contents, "dos");
}

static void what_cannot_be_searched_is_an_error_of_no_rule(void)
{
	why.rule = SAFETY_SWAP;
	CHECK_EQ(safety__check_signatures(&view, "/dev/it", -1, NULL, 0, contents, sizeof(contents),
					  &why),
		 -EBADF);
	CHECK_EQ(why.rule, SAFETY_NO_RULE);
	CHECK(strstr(why.text, "/dev/it: cannot look for file systems") != NULL);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	make_system();
	RUN(free_disk_is_accepted);
	RUN(unknown_device_is_an_error);
	RUN(mounted_partition_refuses_the_disk);
	RUN(unreadable_mounts_are_not_taken_for_none);
	RUN(holder_of_a_partition_refuses_the_disk);
	RUN(a_holder_of_two_partitions_is_followed_once);
	RUN(a_holder_that_cannot_be_followed_is_not_taken_for_none);
	RUN(disk_that_is_in_use_by_another_path_is_refused);
	RUN(disk_that_is_mounted_by_another_path_is_refused);
	RUN(read_only_and_zoned_devices_are_refused);
	RUN(file_that_is_mounted_without_a_loop_device_is_refused);
	RUN(file_that_is_mounted_in_another_namespace_is_refused);
	RUN(what_the_nvme_target_exports_is_refused);
	RUN(loop_device_whose_file_is_not_found_refuses_every_file);
	RUN(swap_file_is_refused);
	RUN(swap_file_with_a_backslash_is_refused);
	RUN(a_missing_list_of_swaps_needs_the_processes);
	RUN(only_disks_and_files_are_targets);
	RUN(force_of_its_name_alone_overrides_a_signature);
	RUN(what_cannot_be_searched_is_an_error_of_no_rule);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command) ? EXIT_FAILURE : TEST_RESULT;
}
