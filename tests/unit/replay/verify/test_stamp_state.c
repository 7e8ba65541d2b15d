// SPDX-License-Identifier: MIT
/* What is left of the state when its first write fails, and a folder was exchanged meanwhile. */
#include "unit/shared/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/verify/stamp_state.h"

static bool exchanges;

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	CHECK(fd >= 0);
	close(fd);
}

/* Replaces the C library's: no write is durable. */
int fdatasync(int fd)
{
	if (exchanges) {
		CHECK(!rename("folder", "before") && !mkdir("folder", 0700));
		make_file("folder/state");
	}
	errno = EIO;
	return -1;
}

static int create(void)
{
	static struct durable_progress progress;
	const struct stamp_state state = {.block_bytes = 4096};
	struct stamp_writer *writer;

	return stamp_state__create("folder/state", &state, &progress, &writer);
}

static void a_state_that_cannot_be_written_is_removed(void)
{
	exchanges = false;
	CHECK_EQ(create(), -EIO);
	CHECK(access("folder/state", F_OK));
}

static void another_file_of_the_name_stays(void)
{
	exchanges = true;
	CHECK_EQ(create(), -EIO);
	CHECK(!access("folder/state", F_OK));
	unlink("folder/state");
	unlink("before/state");
	rmdir("before");
}

static void an_existing_file_stays(void)
{
	make_file("folder/state");
	CHECK_EQ(create(), -EEXIST);
	CHECK(!access("folder/state", F_OK));
	unlink("folder/state");
}

int main(void)
{
	char root[] = "/tmp/blkreel-stamp-XXXXXX";

	if (!mkdtemp(root) || chdir(root) || mkdir("folder", 0700))
		return EXIT_FAILURE;
	RUN(a_state_that_cannot_be_written_is_removed);
	RUN(another_file_of_the_name_stays);
	RUN(an_existing_file_stays);
	rmdir("folder");
	if (chdir("/") || rmdir(root))
		return EXIT_FAILURE;
	return TEST_RESULT;
}
