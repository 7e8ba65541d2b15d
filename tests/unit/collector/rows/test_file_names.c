// SPDX-License-Identifier: MIT
#include "unit/shared/test.h"

#include <string.h>

#include "collector/rows/file_names.h"

#define DEVICE	   (259u << 20 | 77)
#define FILES_KEPT 65536u

static struct file_names *make_names(void)
{
	struct file_names *names = NULL;

	CHECK_EQ(file_names__create(&names), 0);
	return names;
}

static void add(struct file_names *names, uint64_t inode, uint8_t version, uint64_t time_ns,
		const char *path)
{
	struct file_event event = {
		.version = version,
		.device = DEVICE,
		.inode = inode,
		.time_ns = time_ns,
	};

	file_names__add(names, &event, strdup(path));
}

/* "-": not known. */
static const char *path_at(struct file_names *names, uint64_t inode, uint8_t version,
			   uint64_t time_ns)
{
	const struct file_path *path = file_names__at(names, DEVICE, inode, version, time_ns);

	return path && path->text ? path->text : "-";
}

/* The rings of two CPUs are read one after the other. */
static void names_that_are_read_late_have_their_place(void)
{
	struct file_names *names = make_names();

	add(names, 12, 7, 9000000000, "/n263");
	add(names, 12, 8, 9100000000, "/n264");
	add(names, 12, 7, 1000000000, "/n7");
	add(names, 12, 8, 1100000000, "/n8");
	CHECK_TEXT(path_at(names, 12, 7, 9000500000), "/n263");
	CHECK_TEXT(path_at(names, 12, 8, 9100500000), "/n264");
	CHECK_TEXT(path_at(names, 12, 7, 1000500000), "/n7");
	CHECK_TEXT(path_at(names, 12, 8, 5000000000), "/n8");
	CHECK_TEXT(file_names__newest(names, DEVICE, 12, 0)->text, "/n264");
	file_names__free(names);
}

/* The probes send the name of a file that is used all the time once. */
static void a_file_in_use_is_not_forgotten(void)
{
	struct file_names *names = make_names();

	add(names, 1, 0, 0, "/busy");
	add(names, 2, 0, 0, "/idle");
	for (uint64_t inode = 3; inode < 3 + 2 * FILES_KEPT; inode++) {
		add(names, inode, 0, inode, "/once");
		CHECK_TEXT(path_at(names, 1, 0, inode), "/busy");
	}
	file_names__forget(names);
	CHECK_TEXT(path_at(names, 1, 0, 1000000), "/busy");
	CHECK_TEXT(path_at(names, 2, 0, 1000000), "-");
	CHECK_TEXT(path_at(names, 2 + 2 * FILES_KEPT, 0, 1000000), "/once");
	file_names__free(names);
}

static void a_path_that_becomes_known_is_another_entry(void)
{
	struct file_names *names = make_names();
	struct file_path *path = file_names__at(names, DEVICE, 5, 0, 100);

	CHECK(path && !path->text && !path->id);
	path->id = 9;
	add(names, 5, 0, 200, "/late");
	CHECK(file_names__at(names, DEVICE, 5, 0, 300) == path);
	CHECK_TEXT(path->text, "/late");
	CHECK_EQ(path->id, 0);
	file_names__free(names);
}

int main(void)
{
	RUN(names_that_are_read_late_have_their_place);
	RUN(a_file_in_use_is_not_forgotten);
	RUN(a_path_that_becomes_known_is_another_entry);
	return TEST_RESULT;
}
