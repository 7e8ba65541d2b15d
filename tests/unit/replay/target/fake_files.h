/* SPDX-License-Identifier: MIT */
/* Files, folders and links of a test's own /proc and /sys. */
#ifndef BLKREEL_TESTS_UNIT_REPLAY_TARGET_FAKE_FILES_H
#define BLKREEL_TESTS_UNIT_REPLAY_TARGET_FAKE_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* mkdtemp() gives it its name. */
static char directory[] = "/tmp/blkreel-test-XXXXXX";

static void fail_on(const char *path)
{
	perror(path);
	exit(EXIT_FAILURE);
}

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		fail_on(path);
}

static void make(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (mkdir(path, 0700))
		fail_on(path);
}

static void point(const char *name, const char *to)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	if (symlink(to, path))
		fail_on(path);
}

#endif
