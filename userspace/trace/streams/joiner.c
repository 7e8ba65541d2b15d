// SPDX-License-Identifier: MIT
#include "trace/streams/joiner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "trace/streams/entries.h"

#define ALL_KINDS ((1u << ROW_KIND_COUNT) - 1)

struct joined_entry {
	struct entry_identity identity;
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
	uint32_t next[ENTRY_TABLES]; /* the highest id so far */
	const struct trace_reader *reader;
	struct id_map maps[ENTRY_TABLES];
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
	for (unsigned int table = 0; table < ENTRY_TABLES; table++)
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

/*
 * Handles the first use of an entry in this trace: finds the id of the same entry of an earlier
 * trace, or writes a new entry. 0 or negative errno.
 */
static int find_or_write(struct trace_joiner *j, enum entry_table table, uint32_t from,
			 uint32_t *id)
{
	struct entry_identity identity;
	struct joined_entry *entry;
	int err;

	/* An id without an entry (its table was full) has no meaning in the result. */
	*id = 0;
	if (!entry_identify(table, j->reader, from, &identity))
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
	err = entry_write(table, j->writer, j->reader, from, entry->id);
	if (err) {
		free(entry);
		return err;
	}
	*id = ++j->next[table];
	HASH_ADD(hh, j->entries, identity, sizeof(entry->identity), entry);
	return 0;
}

static int translate(struct trace_joiner *j, enum entry_table table, uint32_t *id)
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
	int err = translate(j, ENTRY_DEVICES, &row.device);

	if (!err)
		err = translate(j, ENTRY_TASKS, &row.task);
	if (!err)
		err = translate(j, ENTRY_CGROUPS, &row.cgroup);
	if (!err)
		err = translate(j, ENTRY_FILES, &row.file);
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
	int err = translate(j, ENTRY_CGROUPS, &row.cgroup);

	if (!err)
		err = translate(j, ENTRY_FILES, &row.file);
	if (!err)
		err = translate(j, ENTRY_TASKS, &row.task);
	cut_interval(j, row.time_ns, &row.interval_ns);
	return err ? err : trace_writer__append_cache(j->writer, &row);
}

static int add_tick(struct trace_joiner *j, const struct tick_row *from)
{
	struct tick_row row = *from;
	int err = translate(j, ENTRY_DEVICES, &row.device);

	cut_interval(j, row.time_ns, &row.interval_ns);
	return err ? err : trace_writer__append_tick(j->writer, &row);
}

static int add_hist(struct trace_joiner *j, const struct hist_row *from)
{
	struct hist_row row = *from;
	int err = translate(j, ENTRY_DEVICES, &row.device);

	return err ? err : trace_writer__append_hist(j->writer, &row);
}

static int add_access(struct trace_joiner *j, const struct access_row *from)
{
	struct access_row row = *from;
	int err = translate(j, ENTRY_CGROUPS, &row.cgroup);

	if (!err)
		err = translate(j, ENTRY_FILES, &row.file);
	if (!err)
		err = translate(j, ENTRY_TASKS, &row.task);
	return err ? err : trace_writer__append_access(j->writer, &row);
}

static int add_wait(struct trace_joiner *j, const struct wait_row *from)
{
	struct wait_row row = *from;
	int err = translate(j, ENTRY_TASKS, &row.task);

	if (!err)
		err = translate(j, ENTRY_TASKS, &row.waker);
	if (!err)
		err = translate(j, ENTRY_FILES, &row.file);
	if (!err)
		err = translate(j, ENTRY_STACKS, &row.stack);
	return err ? err : trace_writer__append_wait(j->writer, &row);
}

static int add_loss(struct trace_joiner *j, const struct loss_row *row)
{
	j->totals.lost += row->count;
	return trace_writer__append_loss(j->writer, row);
}

static int add_row(struct trace_joiner *j, const struct row_block *block, uint32_t i)
{
	switch (block->kind) {
	case ROW_IO:
		return add_io(j, &block->io[i]);
	case ROW_CACHE:
		return add_cache(j, &block->cache[i]);
	case ROW_TICK:
		return add_tick(j, &block->tick[i]);
	case ROW_HIST:
		return add_hist(j, &block->hist[i]);
	case ROW_LOSS:
		return add_loss(j, &block->loss[i]);
	case ROW_ACCESS:
		return add_access(j, &block->access[i]);
	case ROW_WAIT:
		return add_wait(j, &block->wait[i]);
	case ROW_KIND_COUNT:
		break;
	}
	return -EINVAL;
}

static int add_block(struct trace_joiner *j, const struct row_block *block)
{
	int err = 0;

	for (uint32_t i = 0; i < block->rows && !err; i++)
		err = add_row(j, block, i);
	return err;
}

/* Adds all devices, even without rows: the user asked for them by name. */
static int add_devices(struct trace_joiner *j)
{
	int err = 0;

	for (uint32_t at = 1; at <= trace_reader__devices(j->reader) && !err; at++) {
		uint32_t id = at;

		err = translate(j, ENTRY_DEVICES, &id);
	}
	return err;
}

int trace_joiner__add(struct trace_joiner *j, struct trace_reader *reader)
{
	struct row_block block;
	int got, err;

	j->reader = reader;
	for (unsigned int table = 0; table < ENTRY_TABLES; table++)
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
