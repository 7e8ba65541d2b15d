// SPDX-License-Identifier: MIT
#include "render/info/info.h"
#include "render/json.h"
#include "render/when.h"

static json_t *host_json(const struct trace_host *host)
{
	json_t *object = json_object();

	json_set_text(object, "tool", host->tool);
	json_set_text(object, "hostname", host->hostname);
	json_set_text(object, "kernel", host->kernel);
	json_set_text(object, "machine", host->machine);
	json_set_text(object, "command", host->command);
	json_set_text(object, "reason", host->reason);
	if (host->trigger_latency_ns) {
		json_set_text(object, "trigger_device", host->trigger_device);
		json_set_text(object, "trigger_op", host->trigger_op);
		json_set_u64(object, "trigger_latency_ns", host->trigger_latency_ns);
		json_set_u64(object, "trigger_end_ns", host->trigger_end_ns);
	}
	json_set_text(object, "replay_mode", host->replay_mode);
	json_set_bool(object, "replay_generated", host->replay_generated);
	json_set_u64(object, "start_ns", host->start_ns);
	json_set_u64(object, "start_wall_ns", host->start_wall_ns);
	json_set_u64(object, "resolution_ns", host->resolution_ns);
	json_set_bool(object, "anonymized", host->anonymized);
	return object;
}

static json_t *device_json(const struct trace_device *device)
{
	json_t *object = json_object();

	json_set_u64(object, "id", device->id);
	json_set_text(object, "name", device->name);
	json_set_u64(object, "major", device->major);
	json_set_u64(object, "minor", device->minor);
	json_set_u64(object, "size_bytes", device->size_bytes);
	json_set_u64(object, "logical_block_bytes", device->logical_block_bytes);
	json_set_u64(object, "physical_block_bytes", device->physical_block_bytes);
	json_set_u64(object, "nr_requests", device->nr_requests);
	json_set_u64(object, "read_ahead_kb", device->read_ahead_kb);
	json_set_u64(object, "max_discard_bytes", device->max_discard_bytes);
	json_set_text(object, "scheduler", device->scheduler);
	json_set_text(object, "model", device->model);
	json_set_text(object, "stacked_on", device->stacked_on);
	json_set_bool(object, "rotational", device->rotational);
	json_set_bool(object, "write_cache", device->write_cache);
	json_set_bool(object, "fua", device->fua);
	if (device->zone_bytes) {
		json_set_text(object, "zoned", device->zoned);
		json_set_u64(object, "zone_bytes", device->zone_bytes);
	}
	return object;
}

static json_t *devices_json(const struct trace_contents *c)
{
	json_t *array = json_array();

	for (uint32_t id = 1; id <= trace_reader__devices(c->reader); id++) {
		const struct trace_device *device = trace_reader__device(c->reader, id);

		if (device)
			json_array_append_new(array, device_json(device));
	}
	return array;
}

static json_t *tiers_json(const struct trace_contents *c)
{
	json_t *array = json_array();
	const struct trace_tier *tier;

	for (uint32_t i = 0; (tier = trace_reader__tier(c->reader, i)); i++) {
		json_t *object = json_object();

		json_set_text(object, "figure", tier->figure);
		json_set_text(object, "how", tier->how);
		json_set_text(object, "quality", tier->quality);
		json_set_text(object, "note", tier->note);
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *rows_json(const struct trace_contents *c)
{
	json_t *object = json_object();

	for (enum row_kind kind = 0; kind < ROW_KIND_COUNT; kind++)
		json_set_u64(object, trace_row_name(kind), trace_reader__rows(c->reader, kind));
	return object;
}

static json_t *lost_json(const struct trace_contents *c)
{
	json_t *object = json_object();

	json_set_u64(object, "total", c->lost_total);
	for (enum loss_class kind = 0; kind < LOSS_CLASS_COUNT; kind++)
		json_set_u64(object, loss_class_name(kind), c->lost[kind]);
	return object;
}

/* null if the recorder did not end properly. */
static void set_summary(json_t *document, const struct trace_summary *summary)
{
	if (!summary || summary->repaired) {
		json_object_set_new(document, "in_flight_at_end", json_null());
		json_object_set_new(document, "started_before", json_null());
		json_object_set_new(document, "command_status", json_null());
		return;
	}
	json_set_u64(document, "in_flight_at_end", summary->in_flight_at_end);
	json_set_u64(document, "started_before", summary->started_before);
	json_set_u64(document, "readahead_unknown_pages", summary->readahead_unknown_pages);
	json_object_set_new(document, "command_status", json_integer(summary->command_status));
}

static json_t *clock_jump_json(const struct trace_contents *c)
{
	int64_t jump_ns;

	return when_clock_jump(trace_reader__host(c->reader), trace_reader__summary(c->reader),
			       &jump_ns)
		       ? json_integer(jump_ns)
		       : json_null();
}

static json_t *verify_json(const struct trace_verification *v)
{
	json_t *object = json_object(), *problems = json_array();

	for (uint64_t i = 0; i < v->problem_count && i < VERIFY_PROBLEMS_MAX; i++)
		json_array_append_new(problems, json_string(v->problems[i]));
	json_set_u64(object, "blocks", v->blocks);
	json_set_u64(object, "row_blocks", v->row_blocks);
	json_set_u64(object, "bytes", v->bytes);
	json_set_u64(object, "rows", v->rows);
	json_set_u64(object, "problem_count", v->problem_count);
	json_object_set_new(object, "problems", problems);
	json_set_u64(object, "ids_without_entry", v->ids_without_entry);
	json_set_u64(object, "times_out_of_order", v->times_out_of_order);
	json_set_u64(object, "unused_bytes", v->unused_bytes);
	json_set_u64(object, "unknown_blocks", v->unknown_blocks);
	return object;
}

int render_info_json(FILE *out, const struct trace_contents *c)
{
	json_t *document = json_document("info");

	json_set_text(document, "file", c->path);
	json_set_u64(document, "file_bytes", trace_reader__file_bytes(c->reader));
	json_set_u64(document, "format_version", trace_reader__version(c->reader));
	json_set_u64(document, "duration_ns", trace_contents__duration_ns(c));
	json_object_set_new(document, "clock_jump_ns", clock_jump_json(c));
	if (trace_reader__end(c->reader) == TRACE_END_CLEAN)
		json_set_real(document, "bytes_per_io", trace_contents__bytes_per_io(c));
	else
		json_object_set_new(document, "bytes_per_io", json_null());
	json_object_set_new(document, "host", host_json(trace_reader__host(c->reader)));
	json_object_set_new(document, "rows", rows_json(c));
	json_object_set_new(document, "lost", lost_json(c));
	json_object_set_new(document, "devices", devices_json(c));
	json_set_u64(document, "tasks", trace_reader__tasks(c->reader));
	json_set_u64(document, "files", trace_reader__files(c->reader));
	json_set_u64(document, "cgroups", trace_reader__cgroups(c->reader));
	json_object_set_new(document, "tiers", tiers_json(c));
	json_set_bool(document, "complete", trace_reader__end(c->reader) == TRACE_END_CLEAN);
	json_set_text(document, "end_message", trace_reader__end_message(c->reader));
	set_summary(document, trace_reader__summary(c->reader));
	json_set_bool(document, "repaired",
		      trace_reader__summary(c->reader) &&
			      trace_reader__summary(c->reader)->repaired);
	if (c->verified)
		json_object_set_new(document, "verify", verify_json(c->verified));
	return json_print(out, document);
}
