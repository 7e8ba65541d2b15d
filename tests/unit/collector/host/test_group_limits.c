// SPDX-License-Identifier: MIT
/* Limits of cgroups from folders with the files of the kernel. */
#include "collector/host/group_limits.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/shared/test.h"

static char top[] = "/tmp/test-group-limits-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", top, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		abort();
}

static void make_folder(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	if (mkdir(path, 0700))
		abort();
}

static void limits_of_the_cgroup_and_of_those_above(void)
{
	struct group_limits l;

	make_folder("a");
	make_folder("a/b");
	make_folder("a/b/c");
	write_file("io.max", "9:9 rbps=1 wbps=1 riops=1 wiops=1\n"); /* above the root: never */
	write_file("a/io.max", "8:0 rbps=1048576 wbps=max riops=max wiops=max\n"
			       "259:3 rbps=max wbps=max riops=120 wiops=7\n");
	write_file("a/b/c/io.max", "8:0 rbps=max wbps=18446744073709551615 riops=max wiops=max\n"
				   "this is no line\n");
	group_limits__read(top, "/a/b/c", &l);
	REQUIRE(l.count == 3);
	CHECK_EQ(l.list[0].major, 8);
	CHECK_EQ(l.list[0].minor, 0);
	CHECK_EQ(l.list[0].above, 0);
	CHECK(l.list[0].write_bytes_per_s == UINT64_MAX);
	CHECK_EQ(l.list[0].read_bytes_per_s, 0);
	CHECK_EQ(l.list[1].above, 2);
	CHECK_EQ(l.list[1].read_bytes_per_s, 1048576);
	CHECK_EQ(l.list[1].write_bytes_per_s, 0);
	CHECK_EQ(l.list[2].major, 259);
	CHECK_EQ(l.list[2].read_ios_per_s, 120);
	CHECK_EQ(l.list[2].write_ios_per_s, 7);
}

static void the_first_version_has_a_file_per_figure(void)
{
	struct group_limits l;

	make_folder("old");
	make_folder("old/below");
	write_file("old/blkio.throttle.read_iops_device", "7:3 50\n8:0 20\n");
	write_file("old/blkio.throttle.read_bps_device", "8:0 4096\n");
	write_file("old/blkio.throttle.write_iops_device", "");
	group_limits__read(top, "/old", &l);
	REQUIRE(l.count == 2);
	CHECK_EQ(l.list[0].major, 8);
	CHECK_EQ(l.list[0].read_bytes_per_s, 4096);
	CHECK_EQ(l.list[0].read_ios_per_s, 20);
	CHECK_EQ(l.list[1].minor, 3);
	CHECK_EQ(l.list[1].read_ios_per_s, 50);
	CHECK_EQ(l.list[1].write_ios_per_s, 0);
	/* Its limits do not hold below. */
	group_limits__read(top, "/old/below", &l);
	CHECK_EQ(l.count, 0);
}

static void what_is_not_there_has_none(void)
{
	struct group_limits l;

	group_limits__read(top, "/nowhere", &l);
	CHECK_EQ(l.count, 0);
	group_limits__read(top, "", &l);
	CHECK_EQ(l.count, 0);
	group_limits__read("", "/a", &l);
	CHECK_EQ(l.count, 0);
	group_limits__read(top, "/", &l);
	CHECK_EQ(l.count, 0);
}

static void more_than_the_bound_are_left_out(void)
{
	char text[32 * (TRACE_IO_LIMITS_MAX + 8)] = "";
	struct group_limits l;

	for (unsigned int i = 0; i < TRACE_IO_LIMITS_MAX + 8; i++)
		sprintf(text + strlen(text), "8:%u rbps=1000\n", i);
	make_folder("many");
	write_file("many/io.max", text);
	group_limits__read(top, "/many", &l);
	CHECK_EQ(l.count, TRACE_IO_LIMITS_MAX);
	CHECK_EQ(l.list[TRACE_IO_LIMITS_MAX - 1].minor, TRACE_IO_LIMITS_MAX - 1);
}

int main(void)
{
	char command[64];

	if (!mkdtemp(top))
		return 1;
	RUN(limits_of_the_cgroup_and_of_those_above);
	RUN(the_first_version_has_a_file_per_figure);
	RUN(what_is_not_there_has_none);
	RUN(more_than_the_bound_are_left_out);
	snprintf(command, sizeof(command), "rm -r %s", top);
	return system(command) ? 1 : TEST_RESULT;
}
