// SPDX-License-Identifier: MIT
#include "base/mount_table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Decodes \040 and the like, which stand for blanks and backslashes. In place: the text only gets
 * shorter. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && strspn(from + 1, "01234567") >= 3) {
			*to = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

static const char *next_word(char **rest)
{
	char *word = strsep(rest, " ");

	if (word)
		unescape(word);
	return word;
}

/* "36 35 98:0 /root /target rw,noatime shared:1 - type source rw,errors=continue" */
static int parse_line(char *line, struct mount_entry *entry)
{
	char *behind = strstr(line, " - "), *rest = line;
	unsigned int device_major, device_minor;
	const char *number;

	line[strcspn(line, "\n")] = '\0';
	if (!behind)
		return -EBADMSG;
	*behind = '\0';
	behind += strlen(" - ");
	strsep(&rest, " ");
	strsep(&rest, " ");
	number = strsep(&rest, " ");
	if (!number || sscanf(number, "%u:%u", &device_major, &device_minor) != 2)
		return -EBADMSG;
	entry->device = makedev(device_major, device_minor);
	entry->root = next_word(&rest);
	entry->target = next_word(&rest);
	entry->type = next_word(&behind);
	entry->source = next_word(&behind);
	entry->options = next_word(&behind);
	return entry->target && entry->source && entry->options ? 0 : -EBADMSG;
}

/* The strings of an entry are pieces of its line. */
struct owned_table {
	struct mount_table table;
	char **lines;
};

static int append(struct owned_table *owned, char *line)
{
	struct mount_table *table = &owned->table;
	struct mount_entry *entries;
	char **lines;
	int err;

	entries = realloc(table->entries, (table->count + 1) * sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	table->entries = entries;
	lines = realloc(owned->lines, (table->count + 1) * sizeof(*lines));
	if (!lines)
		return -ENOMEM;
	owned->lines = lines;
	err = parse_line(line, &entries[table->count]);
	if (!err)
		lines[table->count++] = line;
	return err;
}

static int read_lines(FILE *file, struct owned_table *owned)
{
	char *line = NULL;
	size_t bytes = 0;
	int err = 0;

	while (!err && getline(&line, &bytes, file) >= 0) {
		err = append(owned, line);
		if (err)
			break;
		line = NULL;
		bytes = 0;
	}
	free(line);
	if (!err && ferror(file))
		err = -EIO;
	return err;
}

int mount_table__read(const char *path, struct mount_table **table)
{
	struct owned_table *owned = calloc(1, sizeof(*owned));
	FILE *file = fopen(path, "re");
	int err;

	if (!owned || !file) {
		err = owned ? -errno : -ENOMEM;
	} else {
		err = read_lines(file, owned);
	}
	if (file)
		fclose(file);
	if (err) {
		mount_table__free(owned ? &owned->table : NULL);
		return err;
	}
	*table = &owned->table;
	return 0;
}

void mount_table__free(struct mount_table *table)
{
	struct owned_table *owned = (struct owned_table *)table;

	if (!table)
		return;
	for (size_t i = 0; i < table->count; i++)
		free(owned->lines[i]);
	free(owned->lines);
	free(table->entries);
	free(owned);
}

bool mount_entry__has_option(const struct mount_entry *entry, const char *option)
{
	size_t bytes = strlen(option);

	for (const char *at = entry->options; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, option, bytes) && (at[bytes] == ',' || !at[bytes]))
			return true;
	}
	return false;
}
