// SPDX-License-Identifier: MIT
#include "explain/waits/io_limit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define CGROUP_SHOWN 200

struct strictest {
	uint64_t value; /* 0: none */
	uint32_t above;
};

static void take(struct strictest *s, uint64_t value, uint32_t above)
{
	if (value && (!s->value || value < s->value))
		*s = (struct strictest){value, above};
}

/* Cuts the last `above` names off a path. */
static void cut(char *path, uint32_t above)
{
	char *end;

	while (above-- && (end = strrchr(path, '/')))
		*end = '\0';
	if (!*path)
		strcpy(path, "/"); /* had one at least */
}

/* The cgroup whose limit it is; the lower one where bytes and IOs have limits of two. */
static uint32_t level_of(const struct strictest *bytes, const struct strictest *ios)
{
	if (!bytes->value || !ios->value)
		return bytes->value ? bytes->above : ios->above;
	return bytes->above < ios->above ? bytes->above : ios->above;
}

int io_limit__find(const struct explain_tables *tables, const struct kept_io *io,
		   struct explain_io_limit *limit)
{
	const struct trace_cgroup *cgroup =
		io->cgroup ? tables->cgroup(tables->context, io->cgroup) : NULL;
	const struct trace_device *device = tables->device(tables->context, io->device);
	struct strictest bytes = {0}, ios = {0};

	*limit = (struct explain_io_limit){.writes = io->op != IO_OP_READ};
	if (!cgroup || !*cgroup->path)
		return 0;
	for (uint32_t i = 0; device && i < cgroup->io_limit_count; i++) {
		const struct trace_io_limit *l = &cgroup->io_limits[i];

		if (l->major != device->major || l->minor != device->minor)
			continue;
		take(&bytes, limit->writes ? l->write_bytes_per_s : l->read_bytes_per_s, l->above);
		take(&ios, limit->writes ? l->write_ios_per_s : l->read_ios_per_s, l->above);
	}
	limit->bytes_per_s = bytes.value;
	limit->ios_per_s = ios.value;
	limit->cgroup = strdup(cgroup->path);
	if (!limit->cgroup)
		return -ENOMEM;
	cut(limit->cgroup, level_of(&bytes, &ios));
	return 0;
}

const char *io_limit__words(const struct explain_io_limit *limit, char text[IO_LIMIT_WORDS_MAX])
{
	char bytes[UNITS_TEXT_MAX + 16] = "", ios[2 * UNITS_TEXT_MAX] = "";

	*text = '\0';
	if (!limit->cgroup)
		return text;
	if (limit->bytes_per_s)
		snprintf(bytes, sizeof(bytes), "%s a second", BYTES_TEXT(limit->bytes_per_s));
	if (limit->ios_per_s)
		snprintf(ios, sizeof(ios), "%s a second",
			 COUNTED_TEXT(limit->ios_per_s, limit->writes ? "write" : "read"));
	snprintf(text, IO_LIMIT_WORDS_MAX, " %.*s%s%s%s%s%s", CGROUP_SHOWN, limit->cgroup,
		 *bytes || *ios ? " (" : "", bytes, *bytes && *ios ? ", " : "", ios,
		 *bytes || *ios ? ")" : "");
	return text;
}
