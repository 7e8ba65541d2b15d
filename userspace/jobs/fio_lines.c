// SPDX-License-Identifier: MIT
#include "jobs/fio_lines.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINES_MAX    100000 /* /dev/zero and other files without an end */
#define VARIABLE_MAX 64

void fio_lines__start(struct fio_lines *l, FILE *in, const char *path)
{
	memset(l, 0, sizeof(*l));
	l->files[0].in = in;
	snprintf(l->files[0].path, sizeof(l->files[0].path), "%s", path ? path : "");
}

void fio_lines__end(struct fio_lines *l)
{
	while (l->depth)
		fclose(l->files[l->depth--].in);
}

static void set_where(struct fio_lines *l)
{
	const struct fio_file *file = &l->files[l->depth];
	const char *slash = strrchr(file->path, '/');

	snprintf(l->where, sizeof(l->where), "line %d%s%.60s", file->line, l->depth ? " of " : "",
		 l->depth ? slash ? slash + 1 : file->path : "");
}

static int wrong(const struct fio_lines *l, const char *name, const char *what, char *message)
{
	snprintf(message, PROFILE_MESSAGE_MAX, "%s: '%.80s' %s", l->where, name, what);
	return -EINVAL;
}

/* fio takes the rest of a line for a comment, wherever it begins. */
static char *trimmed(char *line)
{
	char *end;

	line[strcspn(line, ";#")] = '\0';
	end = line + strlen(line);
	while (end > line && isspace((unsigned char)end[-1]))
		*--end = '\0';
	return line + strspn(line, " \t");
}

static bool append(char *out, size_t *used, const char *text, size_t bytes)
{
	if (*used + bytes >= FIO_LINE_MAX)
		return false;
	memcpy(out + *used, text, bytes);
	*used += bytes;
	out[*used] = '\0';
	return true;
}

/* The value of a word behind '$'; NULL: it is none of fio's. */
static const char *word_value(const char *at, size_t *bytes, char text[32])
{
	static const struct {
		const char *name;
		int what;
	} words[] = {{"ncpus", _SC_NPROCESSORS_ONLN},
		     {"pagesize", _SC_PAGESIZE},
		     {"mb_memory", _SC_PHYS_PAGES}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		long value = sysconf(words[i].what);

		*bytes = strlen(words[i].name);
		if (strncmp(at, words[i].name, *bytes) != 0)
			continue;
		if (words[i].what == _SC_PHYS_PAGES)
			value = (long)((double)value * (double)sysconf(_SC_PAGESIZE) / 1048576);
		snprintf(text, 32, "%ld", value);
		return text;
	}
	return NULL;
}

/* Replaces what begins with '$' in `from`. */
static int replace(const struct fio_lines *l, const char *from, char *line, char *message)
{
	size_t used = 0;

	line[0] = '\0';
	while (*from) {
		size_t plain = strcspn(from, "$"), bytes;
		const char *end = from + plain + 1, *value;
		char name[VARIABLE_MAX], text[32];

		if (!append(line, &used, from, plain))
			return wrong(l, "$", "makes the line too long", message);
		from += plain;
		if (!*from)
			break;
		value = word_value(from + 1, &bytes, text);
		end += value ? bytes : 0;
		if (!value && from[1] == '{' && strchr(from, '}')) {
			end = strchr(from, '}') + 1;
			snprintf(name, sizeof(name), "%.*s", (int)(end - from - 3), from + 2);
			value = getenv(name);
		}
		if (!value) { /* it may not matter to a profile */
			value = "$";
			end = from + 1;
		}
		if (!append(line, &used, value, strlen(value)))
			return wrong(l, "$", "makes the line too long", message);
		from = end;
	}
	return 0;
}

/* As fio: from the working directory, else from the folder of the file that includes it. */
static int include(struct fio_lines *l, const char *name, char *message)
{
	const char *slash = strrchr(l->files[l->depth].path, '/');
	struct fio_file *next = &l->files[l->depth + 1];
	char path[PATH_MAX];

	if (l->depth == FIO_INCLUDED_MAX)
		return wrong(l, name, "is included too deep: does a file include itself?", message);
	snprintf(path, sizeof(path), "%s", name);
	next->in = fopen(path, "re");
	if (!next->in && slash && *name != '/') {
		size_t folder = (size_t)(slash + 1 - l->files[l->depth].path);

		memcpy(path, l->files[l->depth].path, folder);
		snprintf(path + folder, sizeof(path) - folder, "%s", name);
		next->in = fopen(path, "re");
	}
	memcpy(next->path, path, sizeof(path));
	next->line = 0;
	if (!next->in)
		return wrong(l, name, "is to be included and cannot be read", message);
	l->depth++;
	return 0;
}

static bool begins_include(const char *line)
{
	return !strncmp(line, "include", 7) && (line[7] == ' ' || line[7] == '\t');
}

int fio_lines__next(struct fio_lines *l, char line[FIO_LINE_MAX], char message[PROFILE_MESSAGE_MAX])
{
	char text[FIO_LINE_MAX];

	for (;;) {
		struct fio_file *file = &l->files[l->depth];
		const char *start;
		int err = 0;

		if (!fgets(text, sizeof(text), file->in)) {
			if (ferror(file->in))
				return -EIO;
			if (!l->depth)
				return 0;
			fclose(file->in);
			l->depth--;
			continue;
		}
		file->line++;
		set_where(l);
		if (++l->lines > LINES_MAX) {
			snprintf(message, PROFILE_MESSAGE_MAX,
				 "no job file: it has more than 100,000 lines");
			return -EINVAL;
		}
		start = trimmed(text);
		if (!*start)
			continue;
		err = replace(l, start, line, message);
		if (!err && begins_include(line))
			err = include(l, line + 7 + strspn(line + 7, " \t"), message);
		else if (!err)
			return 1;
		if (err)
			return err;
	}
}
