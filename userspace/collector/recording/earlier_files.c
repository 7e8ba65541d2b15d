// SPDX-License-Identifier: MIT
#include "collector/recording/earlier_files.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "trace/file/closing.h"
#include "trace/file/reader.h"
#include "trace/format.h"

#define SUFFIX	    ".reel"
#define STAMP	    "########-######" /* # is a digit */
#define STAMP_BYTES (sizeof(STAMP) - 1)
#define STUB_NS	    (60 * NSEC_PER_SEC)

static bool has_stamp(const char *text)
{
	for (size_t i = 0; i < STAMP_BYTES; i++)
		if (STAMP[i] == '#' ? !isdigit((unsigned char)text[i]) : text[i] != STAMP[i])
			return false;
	return true;
}

/* Whether `text` is "-YYYYMMDD-HHMMSS[-N].reel". */
static bool is_rest_of_name(const char *text)
{
	if (*text++ != '-' || !has_stamp(text))
		return false;
	text += STAMP_BYTES;
	if (*text == '-' && isdigit((unsigned char)text[1]))
		text += 1 + strspn(text + 1, "0123456789");
	return !strcmp(text, SUFFIX);
}

/* By the stamp, then by the number behind it: none, 2, 3 ... 10. */
static int compare(const void *a, const void *b)
{
	const char *first = *(char *const *)a, *second = *(char *const *)b;
	size_t first_bytes = strlen(first), second_bytes = strlen(second);
	int order;

	/* Both begin with the same stem, so the stamps are at the same place. */
	order = strverscmp(first, second);
	if (first_bytes == second_bytes || !order)
		return order;
	/* "-2.reel" comes before ".reel" in the alphabet. */
	if (strncmp(first, second,
		    (first_bytes < second_bytes ? first_bytes : second_bytes) - strlen(SUFFIX)) !=
	    0)
		return order;
	return first_bytes < second_bytes ? -1 : 1;
}

/* A writer holds a lock on its file. */
static bool is_idle_trace(const char *path)
{
	char magic[TRACE_MAGIC_BYTES];
	struct stat st;
	bool is_trace;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return false;
	is_trace = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
		   pread(fd, magic, sizeof(magic), 0) == (ssize_t)sizeof(magic) &&
		   !memcmp(magic, TRACE_MAGIC, sizeof(magic)) && !flock(fd, LOCK_SH | LOCK_NB);
	close(fd);
	return is_trace;
}

struct names {
	char **items;
	size_t count;
};

static int add(struct names *names, const char *directory, const char *name)
{
	char path[TRACE_PATH_MAX], **items;

	if (snprintf(path, sizeof(path), "%s%s", directory, name) >= (int)sizeof(path) ||
	    !is_idle_trace(path))
		return 0;
	items = realloc(names->items, (names->count + 1) * sizeof(*items));
	if (!items)
		return -ENOMEM;
	names->items = items;
	items[names->count] = strdup(path);
	return items[names->count] ? (names->count++, 0) : -ENOMEM;
}

static int list(const char *name, int stem_bytes, struct names *names)
{
	const char *slash = strrchr(name, '/');
	int directory_bytes = slash ? (int)(slash - name) + 1 : 0;
	size_t stem = (size_t)(stem_bytes - directory_bytes);
	char directory[TRACE_PATH_MAX];
	const struct dirent *entry;
	int err = 0;
	DIR *dir;

	snprintf(directory, sizeof(directory), "%.*s", directory_bytes, name);
	dir = opendir(slash ? directory : ".");
	if (!dir)
		return 0;
	while (!err && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, name + directory_bytes, stem) &&
		    is_rest_of_name(entry->d_name + stem))
			err = add(names, directory, entry->d_name);
	closedir(dir);
	return err;
}

int earlier_files__each(const char *name, int stem_bytes,
			int (*each)(const char *path, void *context), void *context)
{
	struct names names = {0};
	int err = list(name, stem_bytes, &names);

	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items), compare);
	for (size_t i = 0; i < names.count; i++) {
		if (!err)
			err = each(names.items[i], context);
		free(names.items[i]);
	}
	free(names.items);
	return err;
}

static bool has_end(const char *path)
{
	const char *message;
	struct input *in;
	struct end_mark end;
	int err;

	if (input__open(path, &in, &message))
		return false;
	err = closing__read_end(in, &end);
	input__free(in);
	return !err;
}

bool earlier_files__is_stub(const char *path)
{
	struct trace_host host;
	struct stat st;
	uint64_t written_ns;

	if (lstat(path, &st) || trace_reader__read_host(path, &host) || has_end(path))
		return false;
	written_ns = (uint64_t)st.st_mtim.tv_sec * NSEC_PER_SEC + (uint64_t)st.st_mtim.tv_nsec;
	return written_ns < host.start_wall_ns + STUB_NS;
}
