// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/rows/registry.h"

#define DEVICE	   (259u << 20 | 77)
#define PATH_BYTES 128

/* What the registry handed out: the path of each id, from 1. */
struct table {
	char paths[16][PATH_BYTES];
	unsigned int count;
};

static int take_file(void *context, const struct trace_file *file)
{
	struct table *table = context;

	if (file->id != table->count + 1 || table->count == 16)
		return -1;
	snprintf(table->paths[table->count++], PATH_BYTES, "%s", file->path);
	return 0;
}

static struct registry *make_registry(struct table *table)
{
	struct row_tables tables = {.file = take_file, .context = table};
	struct registry *registry = NULL;

	*table = (struct table){.count = 0};
	CHECK_EQ(registry__create(&tables, &registry), 0);
	return registry;
}

static void send_name(struct registry *registry, uint64_t inode, uint8_t version, uint64_t time_ns,
		      const char *name)
{
	struct file_event event = {
		.type = EVENT_FILE,
		.version = version,
		.device = DEVICE,
		.inode = inode,
		.time_ns = time_ns,
	};

	snprintf(event.components[0], sizeof(event.components[0]), "%s", name);
	registry__name_file(registry, &event);
}

/* The last component of the path with this id; "-": there is none. */
static const char *name_of(const struct table *table, uint32_t id)
{
	const char *slash = id && id <= table->count ? strrchr(table->paths[id - 1], '/') : NULL;

	return slash ? slash + 1 : "-";
}

static const char *name_at(struct registry *registry, const struct table *table, uint8_t version,
			   uint64_t time_ns)
{
	return name_of(table,
		       registry__file(registry, DEVICE, 12, S_IFREG | 0600, version, time_ns));
}

/* The rings of two CPUs are read one after the other. */
static void names_that_are_read_late_have_their_place(void)
{
	struct table table;
	struct registry *registry = make_registry(&table);

	send_name(registry, 12, 7, 9000000000, "n263");
	send_name(registry, 12, 8, 9100000000, "n264");
	send_name(registry, 12, 7, 1000000000, "n7");
	send_name(registry, 12, 8, 1100000000, "n8");
	CHECK_TEXT(name_at(registry, &table, 7, 9000500000), "n263");
	CHECK_TEXT(name_at(registry, &table, 8, 9100500000), "n264");
	CHECK_TEXT(name_at(registry, &table, 7, 1000500000), "n7");
	CHECK_TEXT(name_at(registry, &table, 8, 5000000000), "n8");
	CHECK_TEXT(name_of(&table, registry__newest_file(registry, DEVICE, 12, S_IFREG | 0600, 0)),
		   "n264");
	registry__free(registry);
}

int main(void)
{
	RUN(names_that_are_read_late_have_their_place);
	return TEST_RESULT;
}
