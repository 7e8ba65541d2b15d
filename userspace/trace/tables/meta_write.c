// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>

#include "trace/tables/meta.h"
#include "trace/tables/json_text.h"

/* After a failed allocation the object is dropped at the end. */
struct object {
	json_t *json;
	bool failed;
};

static void set(struct object *o, const char *key, json_t *value)
{
	if (json_object_set_new(o->json, key, value))
		o->failed = true;
}

/* JSON libraries hold 63 bits; larger numbers are written as strings of decimal digits. */
static json_t *number(uint64_t value)
{
	if (value > INT64_MAX)
		return json_sprintf("%llu", (unsigned long long)value);
	return json_integer((json_int_t)value);
}

static void set_number(struct object *o, const char *key, uint64_t value)
{
	set(o, key, number(value));
}

static void set_bool(struct object *o, const char *key, bool value)
{
	set(o, key, json_boolean(value));
}

/* Writes `size` bytes at most: a fixed-size name may lack its NUL. */
static void set_text(struct object *o, const char *key, const char *text, size_t size)
{
	size_t bytes = strnlen(text, size);
	char *escaped = malloc(JSON_TEXT_ESCAPED_MAX(bytes));

	if (!escaped) {
		o->failed = true;
		return;
	}
	bytes = json_text_escape(text, bytes, escaped);
	set(o, key, json_stringn(escaped, bytes));
	free(escaped);
}

static json_t *finish(struct object *o)
{
	if (o->json && !o->failed)
		return o->json;
	json_decref(o->json);
	return NULL;
}

#define SET_NUMBER(object, from, field) set_number(object, #field, (from)->field)
#define SET_BOOL(object, from, field)	set_bool(object, #field, (from)->field)
#define SET_ARRAY(object, from, field) \
	set_text(object, #field, (from)->field, sizeof((from)->field) - 1)
#define SET_STRING(object, from, field) \
	set_text(object, #field, (from)->field ? (from)->field : "", TRACE_PATH_MAX - 1)

json_t *meta_from_host(const struct trace_host *host)
{
	struct object o = {json_object(), false};

	SET_ARRAY(&o, host, tool);
	SET_ARRAY(&o, host, hostname);
	SET_ARRAY(&o, host, kernel);
	SET_ARRAY(&o, host, machine);
	SET_ARRAY(&o, host, command);
	if (*host->reason)
		SET_ARRAY(&o, host, reason);
	if (host->trigger_latency_ns) {
		SET_ARRAY(&o, host, trigger_device);
		SET_ARRAY(&o, host, trigger_op);
		SET_NUMBER(&o, host, trigger_latency_ns);
		SET_NUMBER(&o, host, trigger_end_ns);
	}
	if (*host->replay_mode)
		SET_ARRAY(&o, host, replay_mode);
	if (host->replay_generated)
		SET_BOOL(&o, host, replay_generated);
	SET_NUMBER(&o, host, start_ns);
	SET_NUMBER(&o, host, start_wall_ns);
	SET_NUMBER(&o, host, resolution_ns);
	if (host->anonymized)
		SET_BOOL(&o, host, anonymized);
	return finish(&o);
}

json_t *meta_from_device(const struct trace_device *device)
{
	struct object o = {json_object(), false};

	SET_NUMBER(&o, device, id);
	SET_NUMBER(&o, device, major);
	SET_NUMBER(&o, device, minor);
	SET_ARRAY(&o, device, name);
	SET_NUMBER(&o, device, size_bytes);
	SET_NUMBER(&o, device, logical_block_bytes);
	SET_NUMBER(&o, device, physical_block_bytes);
	SET_NUMBER(&o, device, nr_requests);
	SET_NUMBER(&o, device, read_ahead_kb);
	SET_NUMBER(&o, device, max_discard_bytes);
	SET_ARRAY(&o, device, scheduler);
	SET_ARRAY(&o, device, model);
	SET_ARRAY(&o, device, stacked_on);
	SET_BOOL(&o, device, rotational);
	SET_BOOL(&o, device, write_cache);
	SET_BOOL(&o, device, fua);
	SET_BOOL(&o, device, bio_based);
	if (device->zone_bytes) {
		SET_ARRAY(&o, device, zoned);
		SET_NUMBER(&o, device, zone_bytes);
	}
	return finish(&o);
}

json_t *meta_from_task(const struct trace_task *task)
{
	struct object o = {json_object(), false};

	SET_NUMBER(&o, task, id);
	SET_NUMBER(&o, task, pid);
	SET_NUMBER(&o, task, tgid);
	SET_BOOL(&o, task, kernel_thread);
	SET_ARRAY(&o, task, comm);
	return finish(&o);
}

json_t *meta_from_file(const struct trace_file *file)
{
	struct object o = {json_object(), false};
	const char *kind = file_kind_name(file->kind);

	SET_NUMBER(&o, file, id);
	SET_NUMBER(&o, file, major);
	SET_NUMBER(&o, file, minor);
	SET_NUMBER(&o, file, inode);
	SET_NUMBER(&o, file, generation);
	set_text(&o, "kind", kind, strlen(kind));
	SET_STRING(&o, file, path);
	return finish(&o);
}

static json_t *io_limit(const struct trace_io_limit *limit)
{
	struct object o = {json_object(), false};

	SET_NUMBER(&o, limit, major);
	SET_NUMBER(&o, limit, minor);
	SET_NUMBER(&o, limit, above);
	SET_NUMBER(&o, limit, read_bytes_per_s);
	SET_NUMBER(&o, limit, write_bytes_per_s);
	SET_NUMBER(&o, limit, read_ios_per_s);
	SET_NUMBER(&o, limit, write_ios_per_s);
	return finish(&o);
}

/* Most cgroups have no limit. */
static void set_io_limits(struct object *o, const struct trace_cgroup *cgroup)
{
	json_t *array = cgroup->io_limit_count ? json_array() : NULL;

	for (uint32_t i = 0; i < cgroup->io_limit_count; i++)
		o->failed |= json_array_append_new(array, io_limit(&cgroup->io_limits[i])) != 0;
	if (cgroup->io_limit_count)
		set(o, "io_limits", array);
}

static void set_known(struct object *o, const char *key, const char *text)
{
	if (text && *text)
		set_text(o, key, text, TRACE_PATH_MAX - 1);
}

json_t *meta_from_cgroup(const struct trace_cgroup *cgroup)
{
	struct object o = {json_object(), false};

	SET_NUMBER(&o, cgroup, id);
	SET_NUMBER(&o, cgroup, kernel_id);
	SET_STRING(&o, cgroup, path);
	set_known(&o, "container", cgroup->container);
	set_known(&o, "pod", cgroup->pod);
	set_known(&o, "pod_namespace", cgroup->pod_namespace);
	set_io_limits(&o, cgroup);
	return finish(&o);
}

json_t *meta_from_stack(const struct trace_stack *stack)
{
	struct object o = {json_object(), false};

	SET_NUMBER(&o, stack, id);
	SET_STRING(&o, stack, functions);
	return finish(&o);
}

json_t *meta_from_tier(const struct trace_tier *tier)
{
	struct object o = {json_object(), false};

	SET_STRING(&o, tier, figure);
	SET_STRING(&o, tier, how);
	SET_STRING(&o, tier, quality);
	SET_STRING(&o, tier, note);
	return finish(&o);
}

json_t *meta_from_summary(const struct trace_summary *summary)
{
	struct object o = {json_object(), false};

	SET_NUMBER(&o, summary, stop_ns);
	if (summary->stop_wall_ns)
		SET_NUMBER(&o, summary, stop_wall_ns);
	SET_NUMBER(&o, summary, in_flight_at_end);
	SET_NUMBER(&o, summary, started_before);
	SET_NUMBER(&o, summary, readahead_unknown_pages);
	if (summary->page_cache_bytes) {
		SET_NUMBER(&o, summary, page_cache_bytes);
		if (summary->page_cache_free_bytes)
			SET_NUMBER(&o, summary, page_cache_free_bytes);
		SET_BOOL(&o, summary, page_cache_of_cgroup);
		if (summary->page_cache_mglru)
			SET_BOOL(&o, summary, page_cache_mglru);
	}
	if (summary->repaired)
		SET_BOOL(&o, summary, repaired);
	set(&o, "command_status", json_integer(summary->command_status));
	return finish(&o);
}

json_t *meta_from_index(const struct index_entry *entry)
{
	uint64_t numbers[] = {entry->offset, entry->kind, entry->rows, entry->first_ns,
			      entry->last_ns};
	json_t *array = json_array();

	for (unsigned int i = 0; array && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (json_array_append_new(array, number(numbers[i]))) {
			json_decref(array);
			array = NULL;
		}
	}
	return array;
}

json_t *meta_from_end(const struct end_mark *end)
{
	struct object o = {json_object(), false};

	SET_NUMBER(&o, end, index_at);
	SET_NUMBER(&o, end, blocks);
	set_number(&o, "io", end->rows[ROW_IO]);
	set_number(&o, "cache", end->rows[ROW_CACHE]);
	set_number(&o, "tick", end->rows[ROW_TICK]);
	set_number(&o, "loss", end->rows[ROW_LOSS]);
	set_number(&o, "hist", end->rows[ROW_HIST]);
	set_number(&o, "access", end->rows[ROW_ACCESS]);
	if (end->rows[ROW_WAIT])
		set_number(&o, "wait", end->rows[ROW_WAIT]);
	return finish(&o);
}
