// SPDX-License-Identifier: MIT
/* Mapped devices on the same sectors, seen through a /sys and tables of the test's own: no root, no device mapper. */
#include "unit/shared/test.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "replay/target/neighbours.h"
#include "replay/target/safety.h"
#include "unit/replay/target/fake_files.h"

#define TARGET makedev(253, 0)
#define OTHER  makedev(253, 1)
#define POOL   makedev(253, 2)
#define MD     makedev(9, 0)
#define SDA    makedev(8, 0)

static char mountinfo_path[128], swaps_path[128];
static struct safety_view view;

/* The tables; NULL: of a type that is not known. */
static const char *target_table, *other_table, *pool_table;

static int read_table(dev_t device, char **text)
{
	const char *table = device == TARGET  ? target_table
			    : device == OTHER ? other_table
			    : device == POOL  ? pool_table
					      : NULL;

	*text = strdup(table ? table : "0 1 unheard-of 1 2 3\n");
	return *text ? 0 : -ENOMEM;
}

static int read_nothing(dev_t device, char **text)
{
	(void)device;
	(void)text;
	return -EACCES;
}

static void drop(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (unlink(path)) {
		perror(path);
		exit(EXIT_FAILURE);
	}
}

/* make_disk NAME NUMBER MAPPER-NAME: "" is none. */
static void make_disk(const char *name, const char *number, const char *mapper)
{
	static const char *const folders[] = {"", "/holders", "/slaves"};
	char path[128], text[128];

	for (unsigned int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "block/%s%s", name, folders[i]);
		make(path);
	}
	snprintf(path, sizeof(path), "block/%s/dev", name);
	snprintf(text, sizeof(text), "%s\n", number);
	put(path, text);
	snprintf(path, sizeof(path), "dev/block/%s", number);
	snprintf(text, sizeof(text), "../../block/%s", name);
	point(path, text);
	if (!mapper[0])
		return;
	snprintf(path, sizeof(path), "block/%s/dm", name);
	make(path);
	snprintf(path, sizeof(path), "block/%s/dm/name", name);
	snprintf(text, sizeof(text), "%s\n", mapper);
	put(path, text);
}

/* sda (with sda1 from 2048, sda2 from 502048) and sdb; dm-0 (the target), dm-1 and dm-2 are not on them yet. */
static void make_system(void)
{
	make("dev");
	make("dev/block");
	make("block");
	make_disk("sda", "8:0", "");
	make_disk("sdb", "8:16", "");
	make_disk("dm-0", "253:0", "it");
	make_disk("dm-1", "253:1", "used");
	make_disk("dm-2", "253:2", "pool");
	make_disk("md0", "9:0", "");
	make("block/sda/sda1");
	make("block/sda/sda1/holders");
	make("block/sda/sda2");
	make("block/sda/sda2/holders");
	put("block/sda/size", "2000000\n");
	put("block/sda/sda1/dev", "8:1\n");
	put("block/sda/sda1/partition", "1\n");
	put("block/sda/sda1/start", "2048\n");
	put("block/sda/sda1/size", "500000\n");
	put("block/sda/sda2/dev", "8:2\n");
	put("block/sda/sda2/partition", "2\n");
	put("block/sda/sda2/start", "502048\n");
	put("block/sda/sda2/size", "500000\n");
	point("dev/block/8:1", "../../block/sda/sda1");
	point("dev/block/8:2", "../../block/sda/sda2");
	snprintf(mountinfo_path, sizeof(mountinfo_path), "%s/mountinfo", directory);
	snprintf(swaps_path, sizeof(swaps_path), "%s/swaps", directory);
	put("mountinfo", "22 1 253:1 / /srv rw - ext4 /dev/mapper/used rw\n");
	put("swaps", "Filename Type Size Used Priority\n");
	view = (struct safety_view){mountinfo_path, swaps_path, directory, NULL, read_table};
}

static struct refusal why;

static enum safety_rule rule_for(dev_t device)
{
	int err;

	why = (struct refusal){0};
	err = safety__check_device(&view, "/dev/it", device, &why);
	return err && err != -EPERM ? SAFETY_CHANGED : why.rule;
}

/* The rule for the target with these tables, while the other one is mounted. */
static enum safety_rule rule_of(const char *target, const char *other)
{
	target_table = target;
	other_table = other;
	return rule_for(TARGET);
}

static bool says(const char *text)
{
	if (strstr(why.text, text))
		return true;
	printf("# got '%s'\n", why.text);
	return false;
}

static void ranges_of_one_disk_decide(void)
{
	CHECK_EQ(rule_of("0 1000 linear 8:0 5000\n", "0 1000 linear 8:0 6000\n"), SAFETY_NO_RULE);
	CHECK_EQ(rule_of("0 1001 linear 8:0 5000\n", "0 1000 linear 8:0 6000\n"), SAFETY_MOUNTED);
	CHECK(says("/dev/mapper/used is on /srv, and both lie on sectors 6000 to 6000 of sda; "
		   "unmount"));
	CHECK_EQ(rule_of("0 1000 linear 8:0 7000\n", "0 1000 linear 8:0 6000\n"), SAFETY_NO_RULE);
	CHECK_EQ(rule_of("0 1000 linear 8:0 6999\n", "0 1000 linear 8:0 6000\n"), SAFETY_MOUNTED);
	CHECK_EQ(rule_of("0 1000 linear 8:0 5000\n", "0 1000 linear 8:16 5000\n"), SAFETY_NO_RULE);
	CHECK_EQ(rule_of("0 8 linear 8:16 0\n8 8 linear 8:0 99\n", "0 9 linear 8:0 91\n"),
		 SAFETY_MOUNTED);
	CHECK(says("sectors 99 to 99 of sda"));
	CHECK_EQ(rule_of("0 8 error\n", "0 8 linear 8:0 0\n"), SAFETY_NO_RULE);
}

/* One device is on a partition, the other on the disk. */
static void partitions_are_ranges_of_their_disk(void)
{
	CHECK_EQ(rule_of("0 10 linear 8:1 0\n", "0 2048 linear 8:0 0\n"), SAFETY_NO_RULE);
	CHECK_EQ(rule_of("0 10 linear 8:1 0\n", "0 2049 linear 8:0 0\n"), SAFETY_MOUNTED);
	CHECK(says("sectors 2048 to 2048 of sda"));
	CHECK_EQ(rule_of("0 10 linear 8:1 0\n", "0 10 linear 8:2 0\n"), SAFETY_NO_RULE);
	CHECK_EQ(rule_of("0 10 linear 8:1 5\n", "0 10 linear 8:1 14\n"), SAFETY_MOUNTED);
	CHECK(says("sectors 2062 to 2062 of sda"));
	CHECK_EQ(rule_of("0 10 linear 8:1 5\n", "0 10 linear 8:1 15\n"), SAFETY_NO_RULE);
	/* A partition does not reach farther than it is long. */
	CHECK_EQ(rule_of("0 900000 linear 8:1 0\n", "0 10 linear 8:0 502048\n"), SAFETY_NO_RULE);
}

static void the_disk_and_its_partition_share_what_lies_on_them(void)
{
	put("mountinfo", "22 1 8:1 / /srv rw - ext4 /dev/sda1 rw\n");
	CHECK_EQ(rule_of("0 10 linear 8:0 2038\n", ""), SAFETY_NO_RULE);
	CHECK_EQ(rule_of("0 10 linear 8:0 2039\n", ""), SAFETY_MOUNTED);
	CHECK_EQ(rule_of("0 10 linear 8:2 0\n", ""), SAFETY_NO_RULE);
	put("mountinfo", "22 1 253:1 / /srv rw - ext4 /dev/mapper/used rw\n");
}

/* Two ranges of a striped device are apart, although both lie in all of its rows. */
static void the_device_where_two_meet_decides(void)
{
	pool_table = "0 8192 striped 2 128 8:0 0 8:16 0\n";
	CHECK_EQ(rule_of("0 128 linear 253:2 0\n", "0 128 linear 253:2 128\n"), SAFETY_NO_RULE);
	CHECK_EQ(rule_of("0 129 linear 253:2 0\n", "0 128 linear 253:2 128\n"), SAFETY_MOUNTED);
	CHECK(says("sectors 128 to 128 of pool"));
	CHECK_EQ(rule_of("0 128 linear 253:2 0\n", "0 8 linear 8:16 127\n"), SAFETY_MOUNTED);
	CHECK_EQ(rule_of("0 128 linear 253:2 0\n", "0 8 linear 8:16 128\n"), SAFETY_NO_RULE);
}

static void thin_devices_of_one_pool_are_apart_by_their_numbers(void)
{
	pool_table = NULL;
	point("block/dm-2/slaves/sda1", "../../sda/sda1");
	CHECK_EQ(rule_of("0 99 thin 253:2 1\n", "0 99 thin 253:2 2\n"), SAFETY_NO_RULE);
	CHECK_EQ(rule_of("0 99 thin 253:2 1\n", "0 99 thin 253:2 1\n"), SAFETY_MOUNTED);
	CHECK(says("both lie on thin device 1 of pool"));
	CHECK_EQ(rule_of("0 99 thin 253:2 1\n", "0 9 linear 8:1 499990\n"), SAFETY_MOUNTED);
	CHECK_EQ(rule_of("0 9 linear 8:1 0\n", "0 99 thin 253:2 1\n"), SAFETY_MOUNTED);
	CHECK(says("sectors 2048 to 2056 of sda"));
	CHECK_EQ(rule_of("0 99 thin 253:2 1\n", "0 9 linear 8:2 0\n"), SAFETY_NO_RULE);
	/* The pool itself. */
	put("mountinfo", "22 1 253:2 / /srv rw - ext4 /dev/mapper/pool rw\n");
	CHECK_EQ(rule_of("0 99 thin 253:2 1\n", ""), SAFETY_MOUNTED);
	put("mountinfo", "22 1 253:1 / /srv rw - ext4 /dev/mapper/used rw\n");
	drop("block/dm-2/slaves/sda1");
}

static void a_type_that_is_not_known_takes_all_below(void)
{
	point("block/dm-1/slaves/sda1", "../../sda/sda1");
	CHECK_EQ(rule_of("0 8 linear 8:0 502047\n", NULL), SAFETY_MOUNTED);
	CHECK(says("sectors 502047 to 502047 of sda"));
	CHECK_EQ(rule_of("0 8 linear 8:0 502048\n", NULL), SAFETY_NO_RULE);
	drop("block/dm-1/slaves/sda1");
	point("block/dm-0/slaves/sda1", "../../sda/sda1");
	CHECK_EQ(rule_of(NULL, "0 9 linear 8:1 400000\n"), SAFETY_MOUNTED);
	CHECK_EQ(rule_of(NULL, "0 9 linear 8:2 0\n"), SAFETY_NO_RULE);
	drop("block/dm-0/slaves/sda1");
}

static void without_the_right_to_read_tables_all_below_is_taken(void)
{
	point("block/dm-0/slaves/sda", "../../sda");
	point("block/dm-1/slaves/sda", "../../sda");
	CHECK_EQ(rule_of("0 8 linear 8:0 0\n", "0 8 linear 8:0 8\n"), SAFETY_NO_RULE);
	view.read_dm_table = read_nothing;
	CHECK_EQ(rule_of("0 8 linear 8:0 0\n", "0 8 linear 8:0 8\n"), SAFETY_MOUNTED);
	CHECK(says("sectors 0 to 1999999 of sda (all of a device is taken: to read the tables of "
		   "the device mapper takes root"));
	view.read_dm_table = read_table;
	drop("block/dm-0/slaves/sda");
	drop("block/dm-1/slaves/sda");
}

static void a_snapshot_leaves_its_origin_alone(void)
{
	CHECK_EQ(rule_of("0 99 snapshot 8:1 8:16 P 8\n", "0 99 linear 8:1 0\n"), SAFETY_NO_RULE);
	CHECK_EQ(rule_of("0 99 snapshot 8:1 8:16 P 8\n", "0 99 linear 8:16 0\n"), SAFETY_MOUNTED);
	CHECK_EQ(rule_of("0 99 linear 8:1 0\n", "0 99 snapshot 8:1 8:16 P 8\n"), SAFETY_MOUNTED);
}

/* md has no tables: it takes all of its parts. */
static void what_is_built_on_the_other_counts(void)
{
	point("block/md0/slaves/dm-1", "../../dm-1");
	put("mountinfo", "22 1 9:0 / /srv rw - ext4 /dev/md0 rw\n");
	CHECK_EQ(rule_of("0 8 linear 8:0 0\n", "0 8 linear 8:0 7\n"), SAFETY_MOUNTED);
	CHECK(says("/dev/md0 is on /srv, and both lie on sectors 7 to 7 of sda"));
	CHECK_EQ(rule_of("0 8 linear 8:0 0\n", "0 8 linear 8:0 8\n"), SAFETY_NO_RULE);
	put("mountinfo", "");
	CHECK_EQ(rule_of("0 8 linear 8:0 0\n", "0 8 linear 8:0 7\n"), SAFETY_NO_RULE);
	point("block/dm-1/holders/md0", "../../md0");
	CHECK_EQ(rule_of("0 8 linear 8:0 0\n", "0 8 linear 8:0 7\n"), SAFETY_HOLDERS);
	CHECK(says("/dev/it and /dev/mapper/used both lie on sectors 7 to 7 of sda, and "
		   "/dev/mapper/used is part of md0"));
	CHECK(says("dmsetup remove /dev/mapper/used"));
	CHECK_EQ(rule_of("0 8 linear 8:0 0\n", "0 8 linear 8:0 8\n"), SAFETY_NO_RULE);
	drop("block/dm-1/holders/md0");
	drop("block/md0/slaves/dm-1");
}

static char found[512];

static bool note(void *context, const struct neighbour *n)
{
	size_t used = strlen(found);

	(void)context;
	snprintf(found + used, sizeof(found) - used, "%s: %s; ", n->path, n->where);
	return false;
}

static const char *neighbours_of(dev_t device)
{
	struct storage storage;
	struct storage_tree tree;

	found[0] = '\0';
	storage__of_device(&view, device, &storage);
	storage_tree__follow(&view, &storage, &tree);
	CHECK(!neighbours__each(&view, &tree, note, NULL));
	return found;
}

/* Not the target itself, what it lies on, disks, or devices on other sectors. */
static void neighbours_are_other_mapped_devices_alone(void)
{
	target_table = "0 8 linear 253:2 0\n";
	other_table = "0 8 linear 8:0 105\n";
	pool_table = "0 8 linear 8:0 100\n";
	CHECK_TEXT(neighbours_of(TARGET), "/dev/mapper/used: sectors 105 to 107 of sda; ");
	other_table = "0 8 linear 8:0 108\n";
	CHECK_TEXT(neighbours_of(TARGET), "");
	CHECK_TEXT(neighbours_of(MD), "");
	point("block/md0/slaves/sda", "../../sda");
	CHECK_TEXT(neighbours_of(TARGET), "/dev/md0: sectors 100 to 107 of sda; ");
	drop("block/md0/slaves/sda");
}

/* sdb is another path to sda, and mounted; a target on both (multipath) does not use it a second time. */
static void another_path_to_a_disk_below_is_found(void)
{
	make("block/sda/device");
	make("block/sdb/device");
	put("block/sda/device/wwid", "naa.5000c500a1b2c3d4\n");
	put("block/sdb/device/wwid", "naa.5000c500a1b2c3d4\n");
	CHECK_EQ(rule_of("0 8 linear 8:0 0\n", ""), SAFETY_NO_RULE);
	put("mountinfo", "22 1 8:16 / /srv rw - ext4 /dev/sdb rw\n");
	CHECK_EQ(rule_of("0 8 linear 8:0 0\n", ""), SAFETY_MOUNTED);
	CHECK(says("/dev/it lies on the same disk as /dev/sdb by another path"));
	put("mountinfo", "");
	point("block/sdb/holders/dm-1", "../../dm-1");
	CHECK_EQ(rule_of("0 8 linear 8:0 0\n", ""), SAFETY_HOLDERS);
	point("block/dm-0/slaves/sda", "../../sda");
	point("block/dm-0/slaves/sdb", "../../sdb");
	CHECK_EQ(rule_of(NULL, ""), SAFETY_NO_RULE);
}

/* As many levels as there is room for; a table of more ranges takes all that is below. */
static void large_tables_take_all_below(void)
{
	char table[8192] = "";
	struct storage storage;
	struct storage_tree tree;

	for (unsigned int i = 0; i < 64; i++)
		snprintf(table + strlen(table), sizeof(table) - strlen(table),
			 "%u 8 linear 8:0 %u\n", i * 8, i * 16);
	target_table = table;
	storage__of_device(&view, TARGET, &storage);
	storage_tree__follow(&view, &storage, &tree);
	CHECK_EQ(tree.count, 65);
	CHECK_EQ(tree.levels[64].start, 63 * 16);
	snprintf(table + strlen(table), sizeof(table) - strlen(table), "512 8 linear 8:0 9000\n");
	storage_tree__follow(&view, &storage, &tree);
	CHECK_EQ(tree.count, 3); /* sda and sdb are its slaves since the last test */
	CHECK_EQ(tree.levels[1].end, UINT64_MAX);
	CHECK(!tree.cut);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(directory))
		return EXIT_FAILURE;
	make_system();
	RUN(ranges_of_one_disk_decide);
	RUN(partitions_are_ranges_of_their_disk);
	RUN(the_disk_and_its_partition_share_what_lies_on_them);
	RUN(the_device_where_two_meet_decides);
	RUN(thin_devices_of_one_pool_are_apart_by_their_numbers);
	RUN(a_type_that_is_not_known_takes_all_below);
	RUN(without_the_right_to_read_tables_all_below_is_taken);
	RUN(a_snapshot_leaves_its_origin_alone);
	RUN(what_is_built_on_the_other_counts);
	RUN(neighbours_are_other_mapped_devices_alone);
	RUN(another_path_to_a_disk_below_is_found);
	RUN(large_tables_take_all_below);
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command) ? EXIT_FAILURE : TEST_RESULT;
}
