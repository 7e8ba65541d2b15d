// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>

#include <uthash.h>

#include "trace/tables/tables.h"
#include "trace/format.h"

/* Adds `entry` to the table, or frees it on failure. */
static int keep(struct id_table *t, uint32_t id, uint32_t max, void *entry)
{
	int err = id_table__add(t, id, max, entry);

	if (!err)
		return 0;
	free(entry);
	return err == -ENOMEM ? err : -EBADMSG;
}

static int read_tier(struct tables *t, const json_t *object)
{
	struct trace_tier *tier;
	int err = meta_to_tier(object, &tier);

	return err ? err : keep(&t->tiers, t->tiers.highest + 1, TRACE_TIERS_MAX, tier);
}

static int read_device(struct tables *t, const json_t *object)
{
	struct trace_device *device;
	int err = meta_to_device(object, &device);

	return err ? err : keep(&t->devices, device->id, TRACE_DEVICES_MAX, device);
}

static int read_task(struct tables *t, const json_t *object)
{
	struct trace_task *task;
	int err = meta_to_task(object, &task);

	return err ? err : keep(&t->tasks, task->id, TRACE_TASKS_MAX, task);
}

/* A file by its inode, whatever its name is. */
struct file_identity {
	struct file_identity_key {
		uint64_t inode;
		uint32_t major, minor, generation, padding;
	} key;
	uint32_t first_id;
	UT_hash_handle hh;
};

/* Fills in first_id. An inode of 0 stands for none. */
static int identify(struct tables *t, struct trace_file *file)
{
	struct file_identity_key key = {
		.inode = file->inode,
		.major = file->major,
		.minor = file->minor,
		.generation = file->generation,
	};
	struct file_identity *known;

	file->first_id = file->id;
	if (!file->inode)
		return 0;
	HASH_FIND(hh, t->identities, &key, sizeof(key), known);
	if (known) {
		file->first_id = known->first_id;
		return 0;
	}
	known = calloc(1, sizeof(*known));
	if (!known)
		return -ENOMEM;
	known->key = key;
	known->first_id = file->id;
	HASH_ADD(hh, t->identities, key, sizeof(key), known);
	return 0;
}

static int read_file(struct tables *t, const json_t *object)
{
	struct trace_file *file;
	int err = meta_to_file(object, &file);

	if (!err)
		err = keep(&t->files, file->id, TRACE_FILES_MAX, file);
	return err ? err : identify(t, file);
}

static int read_cgroup(struct tables *t, const json_t *object)
{
	struct trace_cgroup *cgroup;
	int err = meta_to_cgroup(object, &cgroup);

	return err ? err : keep(&t->cgroups, cgroup->id, TRACE_CGROUPS_MAX, cgroup);
}

static int read_stack(struct tables *t, const json_t *object)
{
	struct trace_stack *stack;
	int err = meta_to_stack(object, &stack);

	return err ? err : keep(&t->stacks, stack->id, TRACE_STACKS_MAX, stack);
}

static int read_entry(struct tables *t, enum block_kind kind, const json_t *object)
{
	switch (kind) {
	case BLOCK_TIERS:
		return read_tier(t, object);
	case BLOCK_DEVICES:
		return read_device(t, object);
	case BLOCK_TASKS:
		return read_task(t, object);
	case BLOCK_FILES:
		return read_file(t, object);
	case BLOCK_CGROUPS:
		return read_cgroup(t, object);
	case BLOCK_STACKS:
		return read_stack(t, object);
	default:
		return -EBADMSG;
	}
}

static int read_entries(struct tables *t, enum block_kind kind, const json_t *array, uint32_t rows)
{
	int err = json_is_array(array) && json_array_size(array) == rows ? 0 : -EBADMSG;

	for (uint32_t i = 0; i < rows && !err; i++)
		err = read_entry(t, kind, json_array_get(array, i));
	return err;
}

static int read_summary(struct tables *t, const json_t *object)
{
	int err = meta_to_summary(object, &t->summary);

	t->has_summary = !err;
	return err;
}

int tables__read(struct tables *t, enum block_kind kind, const uint8_t *payload, size_t bytes,
		 uint32_t rows, const char **reason)
{
	json_t *json = json_loadb((const char *)payload, bytes, 0, NULL);
	int err;

	*reason = "a metadata block does not hold the expected JSON";
	if (!json)
		return -EBADMSG;
	if (kind == BLOCK_HOST)
		err = rows == 1 ? meta_to_host(json, &t->host) : -EBADMSG;
	else if (kind == BLOCK_SUMMARY)
		err = rows == 1 ? read_summary(t, json) : -EBADMSG;
	else
		err = read_entries(t, kind, json, rows);
	json_decref(json);
	return err;
}

void tables__clear(struct tables *t)
{
	struct file_identity *known, *next;

	HASH_ITER (hh, t->identities, known, next) {
		HASH_DEL(t->identities, known);
		free(known);
	}
	id_table__clear(&t->tiers);
	id_table__clear(&t->devices);
	id_table__clear(&t->tasks);
	id_table__clear(&t->files);
	id_table__clear(&t->cgroups);
	id_table__clear(&t->stacks);
}
