// SPDX-License-Identifier: MIT
#include "trace/streams/joiner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#define ALL_KINDS ((1u << ROW_KIND_COUNT) - 1)

enum joined_table {
	JOIN_DEVICES,
	JOIN_TASKS,
	JOIN_FILES,
	JOIN_CGROUPS,
	JOIN_STACKS,
	JOIN_TABLES
};

/* Identifies an entry of one recording. Compared as bytes: padding is zeroed. */
struct identity {
	uint64_t number;     /* size of a device, inode, id of a cgroup */
	uint64_t path_hash;  /* of a file; of the functions of a stack */
	uint32_t generation; /* of a file */
	uint32_t table;
	uint32_t a, b; /* major and minor, or pid and tgid */
	uint32_t padding;
	uint32_t kind; /* of a file; whether a task is the kernel's */
	char name[TRACE_NAME_MAX];
};

struct joined_entry {
	struct identity identity;
	uint32_t id; /* in the result */
	UT_hash_handle hh;
};

/* Maps ids of the current trace to ids of the result; 0: not seen yet. */
struct id_map {
	uint32_t *ids;
	uint32_t size;
};

struct trace_joiner {
	struct trace_writer *writer;
	uint64_t start_ns;
	struct trace_joined totals;
	struct joined_entry *entries;
	uint32_t next[JOIN_TABLES]; /* the highest id so far */
	const struct trace_reader *reader;
	struct id_map maps[JOIN_TABLES];
};

struct trace_joiner *trace_joiner__new(struct trace_writer *writer, uint64_t start_ns)
{
	struct trace_joiner *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->writer = writer;
	j->start_ns = start_ns;
	return j;
}

void trace_joiner__free(struct trace_joiner *j)
{
	struct joined_entry *entry, *next;

	if (!j)
		return;
	HASH_ITER (hh, j->entries, entry, next) {
		HASH_DEL(j->entries, entry);
		free(entry);
	}
	for (unsigned int table = 0; table < JOIN_TABLES; table++)
		free(j->maps[table].ids);
	free(j);
}

/* The place of an id's translation; NULL: no memory. Readers bound the ids of entries. */
static uint32_t *slot_of(struct id_map *map, uint32_t id)
{
	uint32_t size = map->size ? map->size : 64, *ids;

	if (id < map->size)
		return &map->ids[id];
	while (size <= id)
		size *= 2;
	ids = realloc(map->ids, size * sizeof(*ids));
	if (!ids)
		return NULL;
	memset(ids + map->size, 0, (size - map->size) * sizeof(*ids));
	map->ids = ids;
	map->size = size;
	return &map->ids[id];
}

/* Entries ---------------------------------------------------------------------------------------- */

static bool identify_device(const struct trace_reader *r, uint32_t id, struct identity *identity)
{
	const struct trace_device *device = trace_reader__device(r, id);

	if (!device)
		return false;
	identity->a = device->major;
	identity->b = device->minor;
	identity->number = device->size_bytes;
	memcpy(identity->name, device->name, strlen(device->name));
	return true;
}

static bool identify_task(const struct trace_reader *r, uint32_t id, struct identity *identity)
{
	const struct trace_task *task = trace_reader__task(r, id);

	if (!task)
		return false;
	identity->a = task->pid;
	identity->b = task->tgid;
	identity->kind = task->kernel_thread;
	memcpy(identity->name, task->comm, strlen(task->comm));
	return true;
}

/* FNV-1a: two names of one file are two entries. */
static uint64_t hash_of(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	while (*path)
		hash = (hash ^ (uint8_t)*path++) * 0x100000001b3ull;
	return hash;
}

static bool identify_file(const struct trace_reader *r, uint32_t id, struct identity *identity)
{
	const struct trace_file *file = trace_reader__file(r, id);

	if (!file)
		return false;
	identity->a = file->major;
	identity->b = file->minor;
	identity->number = file->inode;
	identity->generation = file->generation;
	identity->path_hash = hash_of(file->path);
	identity->kind = file->kind;
	return true;
}

static bool identify_cgroup(const struct trace_reader *r, uint32_t id, struct identity *identity)
{
	const struct trace_cgroup *cgroup = trace_reader__cgroup(r, id);

	if (!cgroup)
		return false;
	identity->number = cgroup->kernel_id;
	return true;
}

static bool identify_stack(const struct trace_reader *r, uint32_t id, struct identity *identity)
{
	const struct trace_stack *stack = trace_reader__stack(r, id);

	if (!stack)
		return false;
	identity->path_hash = hash_of(stack->functions);
	return true;
}

static int write_device(struct trace_joiner *j, uint32_t from, uint32_t id)
{
	struct trace_device device = *trace_reader__device(j->reader, from);

	device.id = id;
	return trace_writer__add_device(j->writer, &device);
}

static int write_task(struct trace_joiner *j, uint32_t from, uint32_t id)
{
	struct trace_task task = *trace_reader__task(j->reader, from);

	task.id = id;
	return trace_writer__add_task(j->writer, &task);
}

static int write_file(struct trace_joiner *j, uint32_t from, uint32_t id)
{
	struct trace_file file = *trace_reader__file(j->reader, from);

	file.id = id;
	return trace_writer__add_file(j->writer, &file);
}

static int write_cgroup(struct trace_joiner *j, uint32_t from, uint32_t id)
{
	struct trace_cgroup cgroup = *trace_reader__cgroup(j->reader, from);

	cgroup.id = id;
	return trace_writer__add_cgroup(j->writer, &cgroup);
}

static int write_stack(struct trace_joiner *j, uint32_t from, uint32_t id)
{
	struct trace_stack stack = *trace_reader__stack(j->reader, from);

	stack.id = id;
	return trace_writer__add_stack(j->writer, &stack);
}

static const struct {
	bool (*identify)(const struct trace_reader *r, uint32_t id, struct identity *identity);
	int (*write)(struct trace_joiner *j, uint32_t from, uint32_t id);
} tables[JOIN_TABLES] = {
	[JOIN_DEVICES] = {identify_device, write_device},
	[JOIN_TASKS] = {identify_task, write_task},
	[JOIN_FILES] = {identify_file, write_file},
	[JOIN_CGROUPS] = {identify_cgroup, write_cgroup},
	[JOIN_STACKS] = {identify_stack, write_stack},
};

/*
 * Handles the first use of an entry in this trace: finds the id of the same entry of an earlier
 * trace, or writes a new entry. 0 or negative errno.
 */
static int find_or_write(struct trace_joiner *j, enum joined_table table, uint32_t from,
			 uint32_t *id)
{
	struct identity identity = {.table = table};
	struct joined_entry *entry;
	int err;

	/* An id without an entry (its table was full) has no meaning in the result. */
	*id = 0;
	if (!tables[table].identify(j->reader, from, &identity))
		return 0;
	HASH_FIND(hh, j->entries, &identity, sizeof(identity), entry);
	if (entry) {
		*id = entry->id;
		return 0;
	}
	entry = calloc(1, sizeof(*entry));
	if (!entry)
		return -ENOMEM;
	entry->identity = identity;
	entry->id = j->next[table] + 1;
	err = tables[table].write(j, from, entry->id);
	if (err) {
		free(entry);
		return err;
	}
	*id = ++j->next[table];
	HASH_ADD(hh, j->entries, identity, sizeof(entry->identity), entry);
	return 0;
}

static int translate(struct trace_joiner *j, enum joined_table table, uint32_t *id)
{
	uint32_t from = *id, *slot;
	int err = 0;

	if (!from)
		return 0;
	slot = slot_of(&j->maps[table], from);
	if (!slot)
		return -ENOMEM;
	if (!*slot)
		err = find_or_write(j, table, from, slot);
	*id = *slot;
	return err;
}

/* Rows ------------------------------------------------------------------------------------------- */

static int add_io(struct trace_joiner *j, const struct io_row *from)
{
	struct io_row row = *from;
	int err = translate(j, JOIN_DEVICES, &row.device);

	if (!err)
		err = translate(j, JOIN_TASKS, &row.task);
	if (!err)
		err = translate(j, JOIN_CGROUPS, &row.cgroup);
	if (!err)
		err = translate(j, JOIN_FILES, &row.file);
	if (err)
		return err;
	if (row.created_ns && row.created_ns < j->start_ns)
		row.flags |= IO_STARTED_BEFORE;
	j->totals.io_rows++;
	j->totals.started_before += (row.flags & IO_STARTED_BEFORE) != 0;
	return trace_writer__append_io(j->writer, &row);
}

/*
 * Shortens an interval that begins before the result. The counters were idle until then: a row is
 * written whenever they have moved.
 */
static void cut_interval(const struct trace_joiner *j, uint64_t time_ns, uint64_t *interval_ns)
{
	uint64_t since_ns = time_ns > j->start_ns ? time_ns - j->start_ns : 0;

	if (*interval_ns > since_ns)
		*interval_ns = since_ns;
}

static int add_cache(struct trace_joiner *j, const struct cache_row *from)
{
	struct cache_row row = *from;
	int err = translate(j, JOIN_CGROUPS, &row.cgroup);

	if (!err)
		err = translate(j, JOIN_FILES, &row.file);
	if (!err)
		err = translate(j, JOIN_TASKS, &row.task);
	cut_interval(j, row.time_ns, &row.interval_ns);
	return err ? err : trace_writer__append_cache(j->writer, &row);
}

static int add_tick(struct trace_joiner *j, const struct tick_row *from)
{
	struct tick_row row = *from;
	int err = translate(j, JOIN_DEVICES, &row.device);

	cut_interval(j, row.time_ns, &row.interval_ns);
	return err ? err : trace_writer__append_tick(j->writer, &row);
}

static int add_wait(struct trace_joiner *j, const struct wait_row *from)
{
	struct wait_row row = *from;
	int err = translate(j, JOIN_TASKS, &row.task);

	if (!err)
		err = translate(j, JOIN_TASKS, &row.waker);
	if (!err)
		err = translate(j, JOIN_FILES, &row.file);
	if (!err)
		err = translate(j, JOIN_STACKS, &row.stack);
	return err ? err : trace_writer__append_wait(j->writer, &row);
}

static int add_loss(struct trace_joiner *j, const struct loss_row *row)
{
	j->totals.lost += row->count;
	return trace_writer__append_loss(j->writer, row);
}

static int add_block(struct trace_joiner *j, const struct row_block *block)
{
	int err = 0;

	for (uint32_t i = 0; i < block->rows && !err; i++) {
		if (block->kind == ROW_IO)
			err = add_io(j, &block->io[i]);
		else if (block->kind == ROW_CACHE)
			err = add_cache(j, &block->cache[i]);
		else if (block->kind == ROW_TICK)
			err = add_tick(j, &block->tick[i]);
		else if (block->kind == ROW_LOSS)
			err = add_loss(j, &block->loss[i]);
		else if (block->kind == ROW_WAIT)
			err = add_wait(j, &block->wait[i]);
	}
	return err;
}

/* Adds all devices, even without rows: the user asked for them by name. */
static int add_devices(struct trace_joiner *j)
{
	int err = 0;

	for (uint32_t at = 1; at <= trace_reader__devices(j->reader) && !err; at++) {
		uint32_t id = at;

		err = translate(j, JOIN_DEVICES, &id);
	}
	return err;
}

int trace_joiner__add(struct trace_joiner *j, struct trace_reader *reader)
{
	struct row_block block;
	int got, err;

	j->reader = reader;
	for (unsigned int table = 0; table < JOIN_TABLES; table++)
		if (j->maps[table].size)
			memset(j->maps[table].ids, 0,
			       j->maps[table].size * sizeof(*j->maps[table].ids));
	err = add_devices(j);
	while (!err && (got = trace_reader__next(reader, ALL_KINDS, &block)))
		err = got < 0 ? got : add_block(j, &block);
	return err;
}

const struct trace_joined *trace_joiner__totals(const struct trace_joiner *j)
{
	return &j->totals;
}
