// SPDX-License-Identifier: MIT
#include "explain/waits/file_systems.h"

#include <errno.h>
#include <stdlib.h>

#include <uthash.h>

#define DEVICES_MAX 16u /* of a file system, with those of all layers */

struct file_system {
	struct {
		uint32_t major, minor;
	} number;
	uint32_t devices[DEVICES_MAX], count;
	UT_hash_handle hh;
};

struct file_systems {
	const struct explain_tables *tables;
	struct file_system *list;
};

struct file_systems *file_systems__new(const struct explain_tables *tables)
{
	struct file_systems *f = calloc(1, sizeof(*f));

	if (f)
		f->tables = tables;
	return f;
}

void file_systems__free(struct file_systems *f)
{
	struct file_system *one, *next;

	if (!f)
		return;
	HASH_ITER (hh, f->list, one, next) {
		HASH_DEL(f->list, one);
		free(one);
	}
	free(f);
}

static struct file_system *find(const struct file_systems *f, const struct trace_file *file)
{
	struct file_system *found, wanted = {.number = {file->major, file->minor}};

	HASH_FIND(hh, f->list, &wanted.number, sizeof(wanted.number), found);
	return found;
}

static const struct file_system *system_of(const struct file_systems *f, uint32_t file)
{
	const struct trace_file *entry = f->tables->file(f->tables->context, file);

	return entry ? find(f, entry) : NULL;
}

static bool has(const struct file_system *one, uint32_t device)
{
	for (uint32_t i = 0; i < one->count; i++)
		if (one->devices[i] == device)
			return true;
	return false;
}

int file_systems__learn(struct file_systems *f, uint32_t file, uint32_t device)
{
	const struct trace_file *entry = f->tables->file(f->tables->context, file);
	struct file_system *one;

	if (!entry)
		return 0;
	one = find(f, entry);
	if (!one) {
		one = calloc(1, sizeof(*one));
		if (!one)
			return -ENOMEM;
		one->number.major = entry->major;
		one->number.minor = entry->minor;
		HASH_ADD(hh, f->list, number, sizeof(one->number), one);
	}
	if (one->count < DEVICES_MAX && !has(one, device))
		one->devices[one->count++] = device;
	return 0;
}

bool file_systems__is_known(const struct file_systems *f, uint32_t file)
{
	return system_of(f, file) != NULL;
}

bool file_systems__uses(const struct file_systems *f, uint32_t file, uint32_t device)
{
	const struct file_system *one = system_of(f, file);

	return one && (one->count == DEVICES_MAX || has(one, device));
}

bool file_systems__uses_any(const struct file_systems *f, uint32_t file, explain_takes_fn *takes,
			    const void *context)
{
	const struct file_system *one = system_of(f, file);

	for (uint32_t i = 0; one && i < one->count; i++)
		if (takes(context, one->devices[i]))
			return true;
	return false;
}
