// SPDX-License-Identifier: MIT
#include "collector/host/group_limits.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The entry of a device and cgroup; NULL beyond the bound. */
static struct trace_io_limit *limit_of(struct group_limits *l, uint32_t major, uint32_t minor,
				       uint32_t above)
{
	struct trace_io_limit *limit = l->list;

	for (; limit < l->list + l->count; limit++)
		if (limit->major == major && limit->minor == minor && limit->above == above)
			return limit;
	if (l->count == TRACE_IO_LIMITS_MAX)
		return NULL;
	l->count++;
	*limit = (struct trace_io_limit){.major = major, .minor = minor, .above = above};
	return limit;
}

/* "max" and what is no number are no limit. */
static uint64_t number_of(const char *text)
{
	return *text >= '0' && *text <= '9' ? strtoull(text, NULL, 10) : 0;
}

static void set_word(struct trace_io_limit *limit, const char *word)
{
	if (!strncmp(word, "rbps=", 5))
		limit->read_bytes_per_s = number_of(word + 5);
	else if (!strncmp(word, "wbps=", 5))
		limit->write_bytes_per_s = number_of(word + 5);
	else if (!strncmp(word, "riops=", 6))
		limit->read_ios_per_s = number_of(word + 6);
	else if (!strncmp(word, "wiops=", 6))
		limit->write_ios_per_s = number_of(word + 6);
}

/* A line of io.max: "8:0 rbps=1048576 wbps=max riops=max wiops=max". */
static void read_line(struct group_limits *l, char *line, uint32_t above)
{
	struct trace_io_limit *limit;
	uint32_t major, minor;
	char *word;

	if (sscanf(line, "%u:%u", &major, &minor) != 2)
		return;
	limit = limit_of(l, major, minor, above);
	strsep(&line, " \n");
	while (limit && (word = strsep(&line, " \n")))
		set_word(limit, word);
}

static FILE *open_of(const char *directory, const char *name)
{
	char path[2 * PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	return fopen(path, "re");
}

static void read_second_version(struct group_limits *l, FILE *file, uint32_t above)
{
	char line[512];

	while (fgets(line, sizeof(line), file))
		read_line(l, line, above);
}

/* Files of one figure each, with lines such as "8:0 1048576". */
static void read_first_version(struct group_limits *l, const char *directory)
{
	static const char *const files[][2] = {
		{"blkio.throttle.read_bps_device", "rbps"},
		{"blkio.throttle.write_bps_device", "wbps"},
		{"blkio.throttle.read_iops_device", "riops"},
		{"blkio.throttle.write_iops_device", "wiops"},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		FILE *file = open_of(directory, files[i][0]);
		char line[128], device[32], value[32], whole[128];

		while (file && fgets(line, sizeof(line), file)) {
			if (sscanf(line, "%31s %31s", device, value) != 2)
				continue;
			snprintf(whole, sizeof(whole), "%s %s=%s", device, files[i][1], value);
			read_line(l, whole, 0);
		}
		if (file)
			fclose(file);
	}
}

void group_limits__read(const char *mount, const char *path, struct group_limits *limits)
{
	char directory[2 * PATH_MAX];
	size_t top = strlen(mount);
	char *end;

	limits->count = 0;
	if (!*mount || *path != '/')
		return;
	snprintf(directory, sizeof(directory), "%s%s", mount, path);
	for (uint32_t above = 0; strlen(directory) > top + 1; above++) {
		FILE *file = open_of(directory, "io.max");

		if (file) {
			read_second_version(limits, file, above);
			fclose(file);
		} else if (!above) {
			read_first_version(limits, directory);
		}
		end = strrchr(directory, '/');
		*end = '\0';
	}
}
