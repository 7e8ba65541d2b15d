// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "trace/streams/copy_ids.h"
#include "trace/streams/entries.h"

#include "trace/format.h"

static const uint32_t id_max[ENTRY_TABLES] = {
	[ENTRY_DEVICES] = TRACE_DEVICES_MAX, [ENTRY_TASKS] = TRACE_TASKS_MAX,
	[ENTRY_FILES] = TRACE_FILES_MAX,     [ENTRY_CGROUPS] = TRACE_CGROUPS_MAX,
	[ENTRY_STACKS] = TRACE_STACKS_MAX,
};

/* Maps the ids of one table of one source to ids of the copy; 0: not seen yet. */
struct id_map {
	uint32_t *ids;
	uint32_t size;
};

/* A device of the copy, and its source. */
struct copied_device {
	unsigned int source;
	char hostname[TRACE_TEXT_MAX];
	struct trace_device device; /* as it was recorded */
	char name[TRACE_NAME_MAX];  /* in the copy */
};

/* An entry that rows of other sources may refer to as well. */
struct copied_entry {
	struct entry_identity identity;
	unsigned int source;
	uint32_t id; /* in the copy */
	UT_hash_handle hh;
};

struct copy_ids {
	struct trace_writer *writer;
	const struct trace_stream *stream;
	uint32_t next[ENTRY_TABLES]; /* the highest id so far */
	struct copied_device *devices;
	uint32_t device_count;
	struct copied_entry *entries;
	unsigned int sources;
	struct id_map maps[][ENTRY_TABLES]; /* per source */
};

struct copy_ids *copy_ids__new(struct trace_writer *writer, const struct trace_stream *stream)
{
	unsigned int sources = trace_stream__sources(stream);
	struct copy_ids *ids = calloc(1, sizeof(*ids) + sources * sizeof(ids->maps[0]));

	if (!ids)
		return NULL;
	ids->writer = writer;
	ids->stream = stream;
	ids->sources = sources;
	return ids;
}

void copy_ids__free(struct copy_ids *ids)
{
	struct copied_entry *entry, *next;

	if (!ids)
		return;
	for (unsigned int source = 0; source < ids->sources; source++)
		for (unsigned int table = 0; table < ENTRY_TABLES; table++)
			free(ids->maps[source][table].ids);
	HASH_ITER (hh, ids->entries, entry, next) {
		HASH_DEL(ids->entries, entry);
		free(entry);
	}
	free(ids->devices);
	free(ids);
}

static int grow(struct id_map *map, uint32_t id)
{
	uint32_t size = map->size ? map->size : 64;
	uint32_t *ids;

	while (size <= id)
		size *= 2;
	ids = realloc(map->ids, size * sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	memset(ids + map->size, 0, (size - map->size) * sizeof(*ids));
	map->ids = ids;
	map->size = size;
	return 0;
}

/*
 * 1: *id is translated; 0: a new id, *slot is where to store the id of the copy; negative errno. An
 * id above the maximum has no entry: it stays as it is, or, with several sources, where two could
 * then be equal, becomes 0.
 */
static int translate(struct copy_ids *ids, unsigned int source, enum entry_table table,
		     uint32_t *id, uint32_t **slot)
{
	struct id_map *map = &ids->maps[source][table];

	if (*id < map->size && map->ids[*id]) {
		*id = map->ids[*id];
		return 1;
	}
	if (!*id)
		return 1;
	if (*id > id_max[table]) {
		*id = ids->sources == 1 ? *id : 0;
		return 1;
	}
	if (*id >= map->size && grow(map, *id))
		return -ENOMEM;
	if (ids->next[table] == id_max[table])
		return -E2BIG;
	*slot = &map->ids[*id];
	return 0;
}

/* Whether two devices of different sources are the same: equal host and equal fields. */
static bool is_same(const struct trace_device *a, const char *a_host, const struct trace_device *b,
		    const char *b_host)
{
	return *a_host && !strcmp(a_host, b_host) && !strcmp(a->name, b->name) &&
	       a->major == b->major && a->minor == b->minor && a->size_bytes == b->size_bytes;
}

/* The id in the copy of the same device of another source; 0: there is none. */
static uint32_t find_device(const struct copy_ids *ids, unsigned int source,
			    const struct trace_device *device, const char *hostname)
{
	for (uint32_t i = 0; i < ids->device_count; i++) {
		const struct copied_device *other = &ids->devices[i];

		if (other->source != source &&
		    is_same(&other->device, other->hostname, device, hostname))
			return other->device.id;
	}
	return 0;
}

/*
 * Whether the first earlier source with a device of this name has a different device. That device
 * keeps the name, even if it has rows later.
 */
static bool is_name_of_earlier(const struct copy_ids *ids, unsigned int source,
			       const struct trace_device *device, const char *hostname)
{
	bool is_there = false;

	for (unsigned int i = 0; i < source && !is_there; i++) {
		const struct trace_reader *reader = trace_stream__reader(ids->stream, i);
		const char *other_host = trace_reader__host(reader)->hostname;

		for (uint32_t id = 1; id <= trace_reader__devices(reader); id++) {
			const struct trace_device *other = trace_reader__device(reader, id);

			if (!other || strcmp(other->name, device->name) != 0)
				continue;
			if (is_same(other, other_host, device, hostname))
				return false;
			is_there = true;
		}
	}
	return is_there;
}

/* Whether another source uses the name. Devices of one recording may share a name. */
static bool is_name_taken(const struct copy_ids *ids, unsigned int source, const char *name)
{
	for (uint32_t i = 0; i < ids->device_count; i++)
		if (ids->devices[i].source != source && !strcmp(ids->devices[i].name, name))
			return true;
	return false;
}

#define NUMBERED_NAME_MAX (TRACE_NAME_MAX - 12) /* before "~NUMBER" */

/*
 * If the name is too long, the host's part is cut: users select devices by the device's name. An
 * import has no host: its device becomes "NAME~2".
 */
static void name_device(const struct copy_ids *ids, unsigned int source, const char *hostname,
			struct trace_device *device)
{
	char recorded[TRACE_NAME_MAX], unique[TRACE_TEXT_MAX + 2 * TRACE_NAME_MAX], number[16] = "";
	bool is_taken = is_name_of_earlier(ids, source, device, hostname);

	memcpy(recorded, device->name, sizeof(recorded));
	for (uint32_t n = 2; is_taken || is_name_taken(ids, source, device->name); n++) {
		size_t behind = strlen(number) + 1 + strlen(recorded);
		size_t space = behind < TRACE_NAME_MAX - 1 ? TRACE_NAME_MAX - 1 - behind : 0;

		is_taken = false;
		if (*hostname)
			snprintf(unique, sizeof(unique), "%.*s%s:%s", (int)space, hostname, number,
				 recorded);
		else
			snprintf(unique, sizeof(unique), "%.*s~%u", NUMBERED_NAME_MAX, recorded, n);
		memcpy(device->name, unique, TRACE_NAME_MAX - 1);
		device->name[TRACE_NAME_MAX - 1] = '\0';
		snprintf(number, sizeof(number), "~%u", n);
	}
}

static int add_device(struct copy_ids *ids, unsigned int source,
		      const struct trace_device *recorded, const char *hostname, uint32_t id)
{
	struct copied_device *devices = realloc(ids->devices,
						(ids->device_count + 1) * sizeof(*devices)),
			     *added;
	struct trace_device device = *recorded;

	if (!devices)
		return -ENOMEM;
	ids->devices = devices;
	device.id = id;
	name_device(ids, source, hostname, &device);
	added = &devices[ids->device_count++];
	added->source = source;
	snprintf(added->hostname, sizeof(added->hostname), "%s", hostname);
	memcpy(added->name, device.name, sizeof(added->name));
	added->device = *recorded;
	added->device.id = id;
	return trace_writer__add_device(ids->writer, &device);
}

int copy_ids__device(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		     uint32_t *id)
{
	const struct trace_device *device;
	const char *hostname;
	uint32_t *slot;
	int err = translate(ids, source, ENTRY_DEVICES, id, &slot);

	if (err)
		return err < 0 ? err : 0;
	device = trace_reader__device(reader, *id);
	hostname = trace_reader__host(reader)->hostname;
	*id = device ? find_device(ids, source, device, hostname) : 0;
	if (!*id) {
		*id = ++ids->next[ENTRY_DEVICES];
		err = device ? add_device(ids, source, device, hostname, *id) : 0;
	}
	*slot = *id;
	return err;
}

/*
 * The parts of one recording have the same entries, and so may recordings of one host. Two equal
 * ones of one trace stay two.
 */
static struct copied_entry *find_entry(const struct copy_ids *ids,
				       const struct entry_identity *identity)
{
	struct copied_entry *entry;

	HASH_FIND(hh, ids->entries, identity, sizeof(*identity), entry);
	return entry;
}

static int remember(struct copy_ids *ids, unsigned int source,
		    const struct entry_identity *identity, uint32_t id)
{
	struct copied_entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	entry->identity = *identity;
	entry->source = source;
	entry->id = id;
	HASH_ADD(hh, ids->entries, identity, sizeof(entry->identity), entry);
	return 0;
}

static int copy_entry(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		      enum entry_table table, uint32_t *id)
{
	bool may_be_there = ids->sources > 1 && *trace_reader__host(reader)->hostname;
	struct copied_entry *same = NULL;
	struct entry_identity identity;
	uint32_t *slot, from = *id;
	int err = translate(ids, source, table, id, &slot);

	if (err)
		return err < 0 ? err : 0;
	if (!entry_identify(table, reader, from, &identity)) {
		*slot = *id = ++ids->next[table];
		return 0;
	}
	entry_identify_host(reader, from, &identity);
	if (may_be_there)
		same = find_entry(ids, &identity);
	if (same && same->source != source) {
		*slot = *id = same->id;
		return 0;
	}
	*slot = *id = ++ids->next[table];
	err = entry_write(table, ids->writer, reader, from, *id);
	return err || same || !may_be_there ? err : remember(ids, source, &identity, *id);
}

int copy_ids__task(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		   uint32_t *id)
{
	return copy_entry(ids, source, reader, ENTRY_TASKS, id);
}

int copy_ids__file(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		   uint32_t *id)
{
	return copy_entry(ids, source, reader, ENTRY_FILES, id);
}

int copy_ids__cgroup(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		     uint32_t *id)
{
	return copy_entry(ids, source, reader, ENTRY_CGROUPS, id);
}

int copy_ids__stack(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		    uint32_t *id)
{
	return copy_entry(ids, source, reader, ENTRY_STACKS, id);
}
