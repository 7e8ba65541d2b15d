// SPDX-License-Identifier: MIT
#include <errno.h>

#include "base/units.h"
#include "render/json.h"
#include "render/top/top.h"

static void set_ops(json_t *object, const uint64_t ios[TICK_OP_COUNT],
		    const uint64_t bytes[TICK_OP_COUNT], uint64_t unit)
{
	for (int op = 0; op < TICK_OP_COUNT; op++) {
		json_t *counts = json_object();

		json_set_u64(counts, "ios", ios[op]);
		json_set_u64(counts, "bytes", bytes[op] * unit);
		json_object_set_new(object, tick_op_name(op), counts);
	}
}

static void set_sums(json_t *object, const struct activity_sums *sums)
{
	json_set_u64(object, "ios", activity_sums__ios(sums));
	json_set_u64(object, "bytes", activity_sums__bytes(sums));
	set_ops(object, sums->ios, sums->bytes, 1);
	json_set_u64(object, "passthrough_ios", sums->passthrough_ios);
	json_set_u64(object, "errors", sums->errors);
	json_set_u64(object, "untimed_ios", sums->untimed_ios);
	json_set_u64(object, "total_ns", sums->total_ns);
	json_set_u64(object, "queue_ns", sums->queue_ns);
	json_set_u64(object, "longest_ns", sums->longest_ns);
}

static void set_known(json_t *object, const char *key, uint64_t value, bool is_known)
{
	if (is_known)
		json_set_u64(object, key, value);
	else
		json_object_set_new(object, key, json_null());
}

static void set_all_sums(json_t *object, const struct activity_sums *sums,
			 const struct activity_sample *sample)
{
	set_sums(object, sums);
	if (!sample->has_cache)
		return;
	set_known(object, "read_pages", sums->read_pages, sample->has_reads);
	set_known(object, "demand_miss_pages", sums->miss_pages, sample->has_misses);
	json_set_u64(object, "dirtied_pages", sums->dirtied_pages);
	set_known(object, "page_wait_ns", sums->page_waits_ns, sample->has_page_waits);
}

static json_t *row_object(const struct top_style *style, const struct activity_sample *sample,
			  const struct top_row *row)
{
	json_t *object = json_object();

	json_set_text(object, "name", row->name);
	if (row->pid)
		json_set_u64(object, "pid", row->pid);
	if (row->id)
		json_set_u64(object, style->of.by == TOP_FILE ? "inode" : "cgroup_id", row->id);
	set_all_sums(object, &row->sums, sample);
	return object;
}

static json_t *other_object(const struct activity_sample *sample, const struct top_list *list)
{
	json_t *object = json_object();

	json_set_u64(object, "count", list->other_count);
	set_all_sums(object, &list->other, sample);
	return object;
}

static json_t *device_object(const struct party_device *device)
{
	json_t *object = json_object(), *kernel = json_object();

	json_set_text(object, "name", device->device.name);
	json_set_u64(object, "major", device->device.major);
	json_set_u64(object, "minor", device->device.minor);
	set_sums(object, &device->sums);
	set_ops(kernel, device->kernel.ios, device->kernel.sectors, SECTOR_BYTES);
	json_object_set_new(object, "kernel", device->is_counted ? kernel : json_null());
	if (!device->is_counted)
		json_decref(kernel);
	return object;
}

static json_t *lost_object(const struct activity_sample *sample)
{
	json_t *object = json_object();
	uint64_t total = 0;

	for (unsigned int i = 0; i < LOSS_CLASS_COUNT; i++) {
		total += sample->lost[i];
		json_set_u64(object, loss_class_name(i), sample->lost[i]);
	}
	json_set_u64(object, "total", total);
	return object;
}

static json_t *missing_array(const struct top_missing *missing)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < missing->count; i++) {
		json_t *object = json_object();

		json_set_text(object, "figures", missing->figures[i].figures);
		json_set_text(object, "why", missing->figures[i].why);
		json_array_append_new(array, object);
	}
	return array;
}

int top_json(FILE *out, const struct top_style *style, const struct activity_sample *sample,
	     const struct top_list *list, const struct top_missing *missing)
{
	json_t *document = json_document("top"), *rows = json_array(), *devices = json_array();
	json_t *total = json_object(), *below = json_object();
	int err;

	json_set_text(document, "by", top_by_names[style->of.by]);
	json_set_text(document, "sort", top_sort_names[style->of.sort]);
	json_set_u64(document, "wall_ns", sample->wall_ns);
	json_set_u64(document, "time_ns", sample->time_ns);
	json_set_u64(document, "interval_ns", sample->interval_ns);
	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(rows, row_object(style, sample, &list->rows[i]));
	json_object_set_new(document, "rows", rows);
	json_object_set_new(document, "other", other_object(sample, list));
	set_all_sums(total, &sample->parties.total, sample);
	json_object_set_new(document, "total", total);
	set_sums(below, &sample->parties.below);
	json_object_set_new(document, "below", below);
	for (uint32_t i = 0; i < sample->parties.device_count; i++)
		json_array_append_new(devices, device_object(&sample->parties.devices[i]));
	json_object_set_new(document, "devices", devices);
	json_object_set_new(document, "lost", lost_object(sample));
	json_object_set_new(document, "missing", missing_array(missing));
	errno = 0;
	err = json_dumpf(document, out, JSON_COMPACT);
	json_decref(document);
	if (!err && fputc('\n', out) != EOF)
		return 0;
	return errno ? -errno : -EIO;
}
