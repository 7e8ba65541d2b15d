// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/streams/copy_ids.h"

#include "trace/format.h"

enum copy_table {
	COPY_DEVICES,
	COPY_TASKS,
	COPY_FILES,
	COPY_CGROUPS,
	COPY_STACKS,
	COPY_TABLES
};

static const uint32_t id_max[COPY_TABLES] = {
	[COPY_DEVICES] = TRACE_DEVICES_MAX, [COPY_TASKS] = TRACE_TASKS_MAX,
	[COPY_FILES] = TRACE_FILES_MAX,	    [COPY_CGROUPS] = TRACE_CGROUPS_MAX,
	[COPY_STACKS] = TRACE_STACKS_MAX,
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

struct copy_ids {
	struct trace_writer *writer;
	const struct trace_stream *stream;
	uint32_t next[COPY_TABLES]; /* the highest id so far */
	struct copied_device *devices;
	uint32_t device_count;
	unsigned int sources;
	struct id_map maps[][COPY_TABLES]; /* per source */
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
	if (!ids)
		return;
	for (unsigned int source = 0; source < ids->sources; source++)
		for (unsigned int table = 0; table < COPY_TABLES; table++)
			free(ids->maps[source][table].ids);
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
static int translate(struct copy_ids *ids, unsigned int source, enum copy_table table, uint32_t *id,
		     uint32_t **slot)
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

/* If the name is too long, the host's part is cut: users select devices by the device's name. */
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
		snprintf(unique, sizeof(unique), "%.*s%s:%s", (int)space, hostname, number,
			 recorded);
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
	int err = translate(ids, source, COPY_DEVICES, id, &slot);

	if (err)
		return err < 0 ? err : 0;
	device = trace_reader__device(reader, *id);
	hostname = trace_reader__host(reader)->hostname;
	*id = device ? find_device(ids, source, device, hostname) : 0;
	if (!*id) {
		*id = ++ids->next[COPY_DEVICES];
		err = device ? add_device(ids, source, device, hostname, *id) : 0;
	}
	*slot = *id;
	return err;
}

int copy_ids__task(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		   uint32_t *id)
{
	const struct trace_task *task;
	struct trace_task copy;
	uint32_t *slot;
	int err = translate(ids, source, COPY_TASKS, id, &slot);

	if (err)
		return err < 0 ? err : 0;
	task = trace_reader__task(reader, *id);
	*slot = *id = ++ids->next[COPY_TASKS];
	if (!task)
		return 0;
	copy = *task;
	copy.id = *id;
	return trace_writer__add_task(ids->writer, &copy);
}

int copy_ids__file(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		   uint32_t *id)
{
	const struct trace_file *file;
	struct trace_file copy;
	uint32_t *slot;
	int err = translate(ids, source, COPY_FILES, id, &slot);

	if (err)
		return err < 0 ? err : 0;
	file = trace_reader__file(reader, *id);
	*slot = *id = ++ids->next[COPY_FILES];
	if (!file)
		return 0;
	copy = *file;
	copy.id = *id;
	return trace_writer__add_file(ids->writer, &copy);
}

int copy_ids__cgroup(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		     uint32_t *id)
{
	const struct trace_cgroup *cgroup;
	struct trace_cgroup copy;
	uint32_t *slot;
	int err = translate(ids, source, COPY_CGROUPS, id, &slot);

	if (err)
		return err < 0 ? err : 0;
	cgroup = trace_reader__cgroup(reader, *id);
	*slot = *id = ++ids->next[COPY_CGROUPS];
	if (!cgroup)
		return 0;
	copy = *cgroup;
	copy.id = *id;
	return trace_writer__add_cgroup(ids->writer, &copy);
}

int copy_ids__stack(struct copy_ids *ids, unsigned int source, const struct trace_reader *reader,
		    uint32_t *id)
{
	const struct trace_stack *stack;
	struct trace_stack copy;
	uint32_t *slot;
	int err = translate(ids, source, COPY_STACKS, id, &slot);

	if (err)
		return err < 0 ? err : 0;
	stack = trace_reader__stack(reader, *id);
	*slot = *id = ++ids->next[COPY_STACKS];
	if (!stack)
		return 0;
	copy = *stack;
	copy.id = *id;
	return trace_writer__add_stack(ids->writer, &copy);
}
