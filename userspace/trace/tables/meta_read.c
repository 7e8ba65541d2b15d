// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "trace/tables/meta.h"
#include "trace/tables/json_text.h"

/* The first error is kept; after it the getters return 0 and "". */
struct object {
	const json_t *json;
	int err;
};

static struct object object_of(const json_t *json)
{
	return (struct object){json, json_is_object(json) ? 0 : -EBADMSG};
}

static uint64_t get_value(struct object *o, const json_t *value, uint64_t max)
{
	uint64_t number = 0;

	if (json_is_integer(value) && json_integer_value(value) >= 0)
		number = (uint64_t)json_integer_value(value);
	else if (!json_is_string(value) ||
		 units_parse_count(json_string_value(value), 0, UINT64_MAX, &number))
		o->err = -EBADMSG;
	if (number > max)
		o->err = -EBADMSG;
	return o->err ? 0 : number;
}

static uint64_t get_number(struct object *o, const char *key, uint64_t max)
{
	const json_t *value = json_object_get(o->json, key);

	return value ? get_value(o, value, max) : 0;
}

static bool get_bool(struct object *o, const char *key)
{
	const json_t *value = json_object_get(o->json, key);

	if (value && !json_is_boolean(value))
		o->err = -EBADMSG;
	return json_is_true(value);
}

static void get_text(struct object *o, const char *key, char *text, size_t size)
{
	const json_t *value = json_object_get(o->json, key);

	*text = '\0';
	if (!value)
		return;
	if (!json_is_string(value) ||
	    json_text_unescape(json_string_value(value), json_string_length(value), text, size) <
		    0) {
		*text = '\0';
		o->err = -EBADMSG;
	}
}

#define GET_U32(object, to, field)   (to)->field = (uint32_t)get_number(object, #field, UINT32_MAX)
#define GET_U64(object, to, field)   (to)->field = get_number(object, #field, UINT64_MAX)
#define GET_BOOL(object, to, field)  (to)->field = get_bool(object, #field)
#define GET_ARRAY(object, to, field) get_text(object, #field, (to)->field, sizeof((to)->field))

int meta_to_host(const json_t *object, struct trace_host *host)
{
	struct object o = object_of(object);

	GET_ARRAY(&o, host, tool);
	GET_ARRAY(&o, host, hostname);
	GET_ARRAY(&o, host, kernel);
	GET_ARRAY(&o, host, machine);
	GET_ARRAY(&o, host, command);
	GET_ARRAY(&o, host, reason);
	GET_ARRAY(&o, host, trigger_device);
	GET_ARRAY(&o, host, trigger_op);
	GET_U64(&o, host, trigger_latency_ns);
	GET_U64(&o, host, trigger_end_ns);
	GET_ARRAY(&o, host, replay_mode);
	GET_BOOL(&o, host, replay_generated);
	GET_U64(&o, host, start_ns);
	GET_U64(&o, host, start_wall_ns);
	GET_U64(&o, host, resolution_ns);
	GET_BOOL(&o, host, anonymized);
	return o.err;
}

int meta_to_summary(const json_t *object, struct trace_summary *summary)
{
	struct object o = object_of(object);
	const json_t *status = json_object_get(object, "command_status");

	GET_U64(&o, summary, stop_ns);
	GET_U64(&o, summary, stop_wall_ns);
	GET_U64(&o, summary, in_flight_at_end);
	GET_U64(&o, summary, started_before);
	GET_U64(&o, summary, readahead_unknown_pages);
	GET_U64(&o, summary, page_cache_bytes);
	GET_U64(&o, summary, page_cache_free_bytes);
	GET_BOOL(&o, summary, page_cache_of_cgroup);
	GET_BOOL(&o, summary, page_cache_mglru);
	GET_BOOL(&o, summary, repaired);
	summary->command_status = (int32_t)json_integer_value(status);
	if (status && (!json_is_integer(status) ||
		       json_integer_value(status) != (json_int_t)summary->command_status))
		o.err = -EBADMSG;
	return o.err;
}

int meta_to_end(const json_t *object, struct end_mark *end)
{
	struct object o = object_of(object);

	GET_U64(&o, end, index_at);
	GET_U64(&o, end, blocks);
	memset(end->rows, 0, sizeof(end->rows));
	end->rows[ROW_IO] = get_number(&o, "io", UINT64_MAX);
	end->rows[ROW_CACHE] = get_number(&o, "cache", UINT64_MAX);
	end->rows[ROW_TICK] = get_number(&o, "tick", UINT64_MAX);
	end->rows[ROW_LOSS] = get_number(&o, "loss", UINT64_MAX);
	end->rows[ROW_HIST] = get_number(&o, "hist", UINT64_MAX);
	end->rows[ROW_ACCESS] = get_number(&o, "access", UINT64_MAX);
	end->rows[ROW_WAIT] = get_number(&o, "wait", UINT64_MAX);
	return o.err;
}

int meta_to_index(const json_t *array, struct index_entry *entry)
{
	struct object o = {array,
			   json_is_array(array) && json_array_size(array) == 5 ? 0 : -EBADMSG};

	if (o.err)
		return o.err;
	entry->offset = get_value(&o, json_array_get(array, 0), UINT64_MAX);
	entry->kind = (uint8_t)get_value(&o, json_array_get(array, 1), UINT8_MAX);
	entry->rows = (uint32_t)get_value(&o, json_array_get(array, 2), UINT32_MAX);
	entry->first_ns = get_value(&o, json_array_get(array, 3), UINT64_MAX);
	entry->last_ns = get_value(&o, json_array_get(array, 4), UINT64_MAX);
	return o.err;
}

/* Passes `entry` on if no getter failed, else frees it. */
static int give(const struct object *o, void *entry, void **to)
{
	if (o->err) {
		free(entry);
		return o->err;
	}
	*to = entry;
	return 0;
}

int meta_to_device(const json_t *object, struct trace_device **entry)
{
	struct object o = object_of(object);
	struct trace_device *device = calloc(1, sizeof(*device));

	if (!device)
		return -ENOMEM;
	GET_U32(&o, device, id);
	GET_U32(&o, device, major);
	GET_U32(&o, device, minor);
	GET_ARRAY(&o, device, name);
	GET_U64(&o, device, size_bytes);
	GET_U32(&o, device, logical_block_bytes);
	GET_U32(&o, device, physical_block_bytes);
	GET_U32(&o, device, nr_requests);
	GET_U32(&o, device, read_ahead_kb);
	GET_U64(&o, device, max_discard_bytes);
	GET_ARRAY(&o, device, scheduler);
	GET_ARRAY(&o, device, model);
	GET_ARRAY(&o, device, stacked_on);
	GET_BOOL(&o, device, rotational);
	GET_BOOL(&o, device, write_cache);
	GET_BOOL(&o, device, fua);
	GET_BOOL(&o, device, bio_based);
	GET_ARRAY(&o, device, zoned);
	GET_U64(&o, device, zone_bytes);
	return give(&o, device, (void **)entry);
}

int meta_to_task(const json_t *object, struct trace_task **entry)
{
	struct object o = object_of(object);
	struct trace_task *task = calloc(1, sizeof(*task));

	if (!task)
		return -ENOMEM;
	GET_U32(&o, task, id);
	GET_U32(&o, task, pid);
	GET_U32(&o, task, tgid);
	GET_BOOL(&o, task, kernel_thread);
	GET_ARRAY(&o, task, comm);
	return give(&o, task, (void **)entry);
}

/* An unknown kind becomes FILE_OTHER: the kind is only shown. */
static enum file_kind get_file_kind(struct object *o)
{
	char name[TRACE_NAME_MAX];

	get_text(o, "kind", name, sizeof(name));
	for (enum file_kind kind = FILE_REGULAR; kind < FILE_OTHER; kind++)
		if (!strcmp(name, file_kind_name(kind)))
			return kind;
	return FILE_OTHER;
}

int meta_to_file(const json_t *object, struct trace_file **entry)
{
	struct object o = object_of(object);
	char path[TRACE_PATH_MAX];
	struct trace_file *file;

	get_text(&o, "path", path, sizeof(path));
	file = calloc(1, sizeof(*file) + strlen(path) + 1);
	if (!file)
		return -ENOMEM;
	file->path = strcpy((char *)(file + 1), path);
	GET_U32(&o, file, id);
	GET_U32(&o, file, major);
	GET_U32(&o, file, minor);
	GET_U64(&o, file, inode);
	GET_U32(&o, file, generation);
	file->kind = get_file_kind(&o);
	return give(&o, file, (void **)entry);
}

static int to_io_limit(const json_t *object, struct trace_io_limit *limit)
{
	struct object o = object_of(object);

	GET_U32(&o, limit, major);
	GET_U32(&o, limit, minor);
	GET_U32(&o, limit, above);
	GET_U64(&o, limit, read_bytes_per_s);
	GET_U64(&o, limit, write_bytes_per_s);
	GET_U64(&o, limit, read_ios_per_s);
	GET_U64(&o, limit, write_ios_per_s);
	return o.err;
}

/* Copies the texts of a cgroup behind its limits; what is empty is not known. */
static void place_texts(struct trace_cgroup *cgroup, char *at, char texts[4][TRACE_PATH_MAX])
{
	const char **const fields[4] = {&cgroup->path, &cgroup->container, &cgroup->pod,
					&cgroup->pod_namespace};

	for (unsigned int i = 0; i < 4; i++) {
		if (i && !*texts[i])
			continue;
		*fields[i] = strcpy(at, texts[i]);
		at += strlen(at) + 1;
	}
}

int meta_to_cgroup(const json_t *object, struct trace_cgroup **entry)
{
	struct object o = object_of(object);
	const json_t *limits = json_object_get(object, "io_limits");
	static const char *const keys[] = {"path", "container", "pod", "pod_namespace"};
	size_t count = json_array_size(limits); /* 0 of what is no array */
	char texts[4][TRACE_PATH_MAX];
	size_t text_bytes = 0;
	struct trace_cgroup *cgroup;
	struct trace_io_limit *limit;

	for (unsigned int i = 0; i < 4; i++) {
		get_text(&o, keys[i], texts[i], sizeof(texts[i]));
		text_bytes += strlen(texts[i]) + 1;
	}
	if (count > TRACE_IO_LIMITS_MAX || (limits && !json_is_array(limits)))
		return -EBADMSG;
	cgroup = calloc(1, sizeof(*cgroup) + count * sizeof(*limit) + text_bytes);
	if (!cgroup)
		return -ENOMEM;
	limit = (struct trace_io_limit *)(cgroup + 1);
	cgroup->io_limits = limit;
	cgroup->io_limit_count = (uint32_t)count;
	for (size_t i = 0; i < count && !o.err; i++)
		o.err = to_io_limit(json_array_get(limits, i), &limit[i]);
	place_texts(cgroup, (char *)(limit + count), texts);
	GET_U32(&o, cgroup, id);
	GET_U64(&o, cgroup, kernel_id);
	return give(&o, cgroup, (void **)entry);
}

int meta_to_stack(const json_t *object, struct trace_stack **entry)
{
	struct object o = object_of(object);
	char functions[TRACE_PATH_MAX];
	struct trace_stack *stack;

	get_text(&o, "functions", functions, sizeof(functions));
	stack = calloc(1, sizeof(*stack) + strlen(functions) + 1);
	if (!stack)
		return -ENOMEM;
	stack->functions = strcpy((char *)(stack + 1), functions);
	GET_U32(&o, stack, id);
	return give(&o, stack, (void **)entry);
}

int meta_to_tier(const json_t *object, struct trace_tier **entry)
{
	static const char *const keys[] = {"figure", "how", "quality", "note"};
	struct object o = object_of(object);
	char texts[4][TRACE_PATH_MAX];
	const char *strings[4];
	size_t bytes = sizeof(**entry);
	struct trace_tier *tier;
	char *at;

	for (unsigned int i = 0; i < 4; i++) {
		get_text(&o, keys[i], texts[i], sizeof(texts[i]));
		bytes += strlen(texts[i]) + 1;
	}
	tier = malloc(bytes);
	if (!tier)
		return -ENOMEM;
	at = (char *)(tier + 1);
	for (unsigned int i = 0; i < 4; i++) {
		strings[i] = strcpy(at, texts[i]);
		at += strlen(at) + 1;
	}
	*tier = (struct trace_tier){strings[0], strings[1], strings[2], strings[3]};
	return give(&o, tier, (void **)entry);
}
