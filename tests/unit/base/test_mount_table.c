// SPDX-License-Identifier: MIT
#include "base/mount_table.h"

#include <errno.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "unit/shared/test.h"

static char path[] = "/tmp/blkreel-mounts-XXXXXX";

static int read_text(const char *text, struct mount_table **table)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return -errno;
	fputs(text, file);
	fclose(file);
	return mount_table__read(path, table);
}

static void lines_are_entries_in_their_order(void)
{
	struct mount_table *table;

	REQUIRE(!read_text(
		"21 1 8:1 / / rw,relatime shared:1 master:2 - ext4 /dev/sda1 rw,errors=remount-ro\n"
		"36 21 0:31 /sub /mnt/a\\040b\\011\\134c ro - btrfs /dev/my\\040disk ro,subvol=/sub\n"
		"40 21 0:5 / /dev rw - devtmpfs none rw\n",
		&table));
	CHECK_EQ(table->count, 3);
	CHECK_EQ(major(table->entries[0].device), 8);
	CHECK_EQ(minor(table->entries[0].device), 1);
	CHECK_TEXT(table->entries[0].root, "/");
	CHECK_TEXT(table->entries[0].target, "/");
	CHECK_TEXT(table->entries[0].type, "ext4");
	CHECK_TEXT(table->entries[0].source, "/dev/sda1");
	CHECK_TEXT(table->entries[0].options, "rw,errors=remount-ro");
	CHECK_TEXT(table->entries[1].root, "/sub");
	CHECK_TEXT(table->entries[1].target, "/mnt/a b\t\\c");
	CHECK_TEXT(table->entries[1].source, "/dev/my disk");
	CHECK_TEXT(table->entries[2].source, "none");
	mount_table__free(table);
}

static void options_are_whole_words(void)
{
	struct mount_entry entry = {.options = "rw,blkio2,xblkio,blkio"};

	CHECK(mount_entry__has_option(&entry, "rw"));
	CHECK(mount_entry__has_option(&entry, "blkio"));
	CHECK(!mount_entry__has_option(&entry, "blk"));
	entry.options = "rw,blkio2,xblkio";
	CHECK(!mount_entry__has_option(&entry, "blkio"));
	entry.options = "";
	CHECK(!mount_entry__has_option(&entry, "rw"));
}

static void other_text_than_mountinfo_is_an_error(void)
{
	static const char *const bad[] = {
		"21 1 8:1 / / rw ext4 /dev/sda1 rw\n", /* no separator */
		"21 1 8:1 / / rw - ext4 /dev/sda1\n",  /* no options */
		"21 1 8 / / rw - ext4 /dev/sda1 rw\n", /* no number */
		"21 1 8:1 - ext4 /dev/sda1 rw\n",      /* no mount point */
		"\n",
	};
	struct mount_table *table;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECK_EQ(read_text(bad[i], &table), -EBADMSG);
	CHECK_EQ(mount_table__read("/nonexistent/mountinfo", &table), -ENOENT);
	REQUIRE(!read_text("", &table));
	CHECK_EQ(table->count, 0);
	mount_table__free(table);
}

static void the_mountinfo_of_this_system_is_parsed(void)
{
	struct mount_table *table;

	REQUIRE(!mount_table__read(MOUNTINFO_SELF, &table));
	CHECK(table->count > 0);
	mount_table__free(table);
	mount_table__free(NULL);
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return EXIT_FAILURE;
	close(fd);
	RUN(lines_are_entries_in_their_order);
	RUN(options_are_whole_words);
	RUN(other_text_than_mountinfo_is_an_error);
	RUN(the_mountinfo_of_this_system_is_parsed);
	unlink(path);
	return TEST_RESULT;
}
