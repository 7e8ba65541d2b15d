// SPDX-License-Identifier: MIT
#include "profile/text/parse_files.h"

#include <errno.h>
#include <string.h>

#include "base/units.h"
#include "profile/file_layout.h"
#include "profile/file_ops.h"

#define AHEAD_PAGES_MAX (1u << 19)
#define PERMILLE	1000u

int parse_level_key(struct parser *r, const char *value)
{
	if (r->level_filled++)
		return parse_fail(r, "'level' is given twice");
	if (r->p->stream_count)
		return parse_fail(r, "'level' must stand before the first [stream]");
	if (!strcmp(value, "files"))
		r->p->level = PROFILE_OF_FILES;
	else if (strcmp(value, "device"))
		return parse_fail(r, "'level': '%.32s' is neither device nor files", value);
	return 0;
}

/* "bytes:files", rising. */
static int add_class(struct parser *r, void *context, const char *name, char *token)
{
	struct profile_files *files = context;
	uint32_t n = files->class_count;
	char *colon = strchr(token, ':');

	if (n == PROFILE_FILE_CLASSES_MAX)
		return parse_fail(r, "'%s' has more than %d sizes", name, PROFILE_FILE_CLASSES_MAX);
	if (!colon)
		return parse_fail(r, "'%s': '%s' is not bytes:files", name, token);
	*colon = 0;
	if (parse_bytes(token, PAGE_BYTES, PROFILE_BYTES_MAX, &files->classes[n].bytes) ||
	    files->classes[n].bytes % PAGE_BYTES)
		return parse_fail(r, "'%s': '%s' is not a multiple of 4096 from 4096 to %llu", name,
				  token, (unsigned long long)PROFILE_BYTES_MAX);
	if (units_parse_count(colon + 1, 1, FILE_LAYOUT_FILES_MAX, &files->classes[n].files))
		return parse_fail(r, "'%s': '%s' is not a number of files from 1 to %u", name,
				  colon + 1, FILE_LAYOUT_FILES_MAX);
	if (n && files->classes[n].bytes <= files->classes[n - 1].bytes)
		return parse_fail(r, "'%s': size %s is out of order or twice", name, token);
	files->class_count++;
	return 0;
}

static int readahead_key(struct parser *r, unsigned int kind, const char *name, const char *value)
{
	struct profile_files *files = &r->p->files;
	uint32_t *numbers = r->readahead[kind];
	int err;

	err = parse_fill(r,
			 (struct target){numbers, false, false, 0, 2, 0, AHEAD_PAGES_MAX,
					 &r->files_filled[kind]},
			 name, value);
	if (!err && numbers[0] > PERMILLE)
		err = parse_fail(r, "'%s': %u is above %u per mille", name, numbers[0], PERMILLE);
	files->ahead_permille[kind] = numbers[0];
	files->ahead_pages[kind] = numbers[1];
	return err;
}

int parse_files_key(struct parser *r, const char *section, const char *name, const char *value)
{
	if (!strcmp(name, "sizes"))
		return parse_once(r, name, r->p->files.class_count)
			       ?: parse_each_token(r, name, value, add_class, &r->p->files);
	if (!strcmp(name, "sequential_readahead"))
		return readahead_key(r, 0, name, value);
	if (!strcmp(name, "random_readahead"))
		return readahead_key(r, 1, name, value);
	return parse_unknown_key(r, section, name);
}

int parse_file_op(struct parser *r, struct profile_stream *s, const char *value)
{
	int op = file_op_from_name(value);

	if (op < 0)
		return parse_fail(
			r, "'op': '%.32s' is not an operation on files that a profile has", value);
	s->op = file_op_to_io((enum access_op)op, 0, &s->flags);
	return 0;
}

int parse_file_flags(struct parser *r, struct profile_stream *s, bool op_known, const char *value)
{
	enum access_op op = file_op_of_io(s->op, s->flags);
	int flags = file_op_flags_from_text(value);

	if (!op_known)
		return parse_fail(r, "'flags' must stand after 'op'");
	if (flags < 0)
		return parse_fail(r, "'flags': '%.32s' is not what an operation on files can have",
				  value);
	if (!file_op_has_flags(op, (uint32_t)flags))
		return parse_fail(r, "'flags': '%.32s' is not what a %s can have", value,
				  access_op_name(op));
	file_op_to_io(op, (uint32_t)flags, &s->flags);
	return 0;
}

int parse_files_finish(struct parser *r, const char **key)
{
	const struct profile *p = r->p;
	struct file_layout layout;

	*key = "";
	if (p->level == PROFILE_DEVICE) {
		*key = p->files.class_count ? "sizes" : "";
		return p->files.class_count
			       ? parse_fail(r, "[files] goes with 'level = files' of [profile]")
			       : 0;
	}
	if (!p->ios)
		return 0;
	*key = "sizes";
	if (!p->files.class_count) {
		*key = "";
		return parse_fail(r, "level = files needs 'sizes' in [files]");
	}
	if (file_layout_init(&layout, &p->files))
		return parse_fail(r, "the files are more than %u, or larger than %llu bytes in sum",
				  FILE_LAYOUT_FILES_MAX, (unsigned long long)PROFILE_BYTES_MAX);
	if (layout.total_bytes / SECTOR_BYTES < p->end_sector)
		return parse_fail(
			r,
			"the files hold %llu bytes in sum, but end_sector of [profile] says "
			"%llu",
			(unsigned long long)layout.total_bytes,
			(unsigned long long)(p->end_sector * SECTOR_BYTES));
	return 0;
}
