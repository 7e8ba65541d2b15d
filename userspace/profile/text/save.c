// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/text/comments.h"
#include "profile/text/save_values.h"

/* A row, and those that are joined with it, label by label. */
static void save_joined(struct saver *s, const struct schema_row *row, unsigned int count)
{
	s->commented = row;
	if (row->comment_always)
		save_comment(s);
	for (uint32_t label = 0; label == 0 || label < row->labels.count; label++)
		for (unsigned int i = 0; i < count; i++)
			if (!label || label < row[i].labels.count)
				save_key(s, &row[i], label);
}

static bool is_written(const struct profile *p, enum schema_section section, uint32_t instance)
{
	switch (section) {
	case SCHEMA_ERROR:
		return p->error.seeds;
	case SCHEMA_FILES:
		return p->level == PROFILE_OF_FILES;
	case SCHEMA_ARRIVAL:
		return p->arrival.window_count;
	case SCHEMA_ADDRESSES:
		return has_range(p, instance, 0) || has_distances(p, instance, 0);
	case SCHEMA_STREAM:
		return instance < p->stream_count;
	case SCHEMA_CLOSED:
		return p->closed.kind_count;
	case SCHEMA_TASKS:
		return instance < p->closed.kind_count;
	default:
		return true;
	}
}

static void save_section(const struct profile *p, enum schema_section section, uint32_t instance,
			 FILE *out)
{
	struct saver saver = {.p = p, .out = out, .instance = instance};
	const struct schema_row *row = schema_rows;
	bool alone = schema_names[section].alone && !instance;

	if (!is_written(p, section, instance))
		return;
	fprintf(out, alone ? "%s[%s]\n" : "%s[%s %u]\n", section == SCHEMA_PROFILE ? "" : "\n",
		schema_names[section].name, instance + 1);
	while (row->key) {
		unsigned int joined = 1;

		while (row[joined].joined)
			joined++;
		if (row->section == section)
			save_joined(&saver, row, joined);
		row += joined;
	}
}

static int save_all(const struct profile *p, FILE *out)
{
	errno = 0;
	fprintf(out,
		"# A workload for 'blkreel replay': counts and weights, no data, no names. All may be edited;\n"
		"# docs/profile-format.md explains the keys.\n");
	for (int section = 0; section < SCHEMA_SECTIONS; section++)
		for (uint32_t i = 0; i == 0 || i < schema_names[section].most; i++)
			save_section(p, (enum schema_section)section, i, out);
	if (!fflush(out) && !ferror(out))
		return 0;
	return errno ? -errno : -EIO;
}

/* Those before the first section stay: they say what the file is. */
static void copy_without_comments(const char *text, FILE *out)
{
	bool inside = false;

	while (*text) {
		size_t length = strcspn(text, "\n");

		length += text[length] != 0;
		inside = inside || *text == '[';
		if (!inside || *text != '#')
			fwrite(text, 1, length, out);
		text += length;
	}
}

int profile__save(const struct profile *p, FILE *out)
{
	char *text = NULL;
	size_t bytes;
	FILE *memory;
	int err;

	if (!p->without_comments)
		return save_all(p, out);
	memory = open_memstream(&text, &bytes);
	if (!memory)
		return -errno;
	err = save_all(p, memory);
	if (fclose(memory) && !err)
		err = -errno;
	if (!err)
		copy_without_comments(text, out);
	free(text);
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
	return err;
}
