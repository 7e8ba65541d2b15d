// SPDX-License-Identifier: MIT
/* The document blkreel.report/1: docs/man/blkreel-json.5 describes each field. */
#include <stdlib.h>

#include "base/units.h"
#include "explain/figures/device_account.h"
#include "render/explain/explain.h"
#include "render/json.h"
#include "render/report/cells.h"
#include "render/report/report.h"
#include "report/report.h"
#include "trace/row_time.h"

/* Percentiles at -log10(1 - p) = 0, 0.05, 0.1 ... */
#define PERCENTILE_STEPS 121
/* p = 1 - 10^(-step / 20): the factors of 10 between steps. */
static const double step_factors[] = {
	1.0,
	0.891250938133746,
	0.794328234724282,
	0.707945784384138,
	0.630957344480193,
	0.562341325190349,
	0.501187233627272,
	0.446683592150963,
	0.398107170553497,
	0.354813389233575,
	0.316227766016838,
	0.281838293126445,
	0.251188643150958,
	0.223872113856834,
	0.199526231496888,
	0.177827941003892,
	0.158489319246111,
	0.141253754462275,
	0.125892541179417,
	0.112201845430196,
};
#define STEPS_PER_TEN (sizeof(step_factors) / sizeof(step_factors[0]))

static json_t *array_u32(const uint32_t *values, uint32_t count)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, json_integer(values[i]));
	return array;
}

static json_t *array_u64(const uint64_t *values, uint32_t count)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(array, json_integer((json_int_t)values[i]));
	return array;
}

static bool has_ios(const struct timeline *t, int op)
{
	for (uint32_t i = 0; i < t->bins; i++)
		if (t->load[op].ios[i])
			return true;
	return false;
}

static json_t *load(const struct timeline *t)
{
	json_t *object = json_object();

	for (int op = 0; op < TICK_OP_COUNT; op++) {
		json_t *one;

		if (!has_ios(t, op))
			continue;
		one = json_object();
		json_object_set_new(one, "ios", array_u32(t->load[op].ios, t->bins));
		json_object_set_new(one, "bytes", array_u64(t->load[op].bytes, t->bins));
		json_object_set_new(object, tick_op_name((enum tick_op)op), one);
	}
	return object;
}

static json_t *depth(const struct timeline *t)
{
	json_t *object = json_object(), *mean = json_array();

	for (uint32_t i = 0; i < t->bins; i++)
		json_array_append_new(mean,
				      json_real((double)t->in_flight_ns[i] / (double)t->width_ns));
	json_object_set_new(object, "max", array_u32(t->depth_max, t->bins));
	json_object_set_new(object, "mean", mean);
	return object;
}

/* The fields "rows" and "cells" of a heat map. */
static void set_cells(json_t *object, const struct heat_map *map, uint32_t bins, uint32_t first,
		      uint32_t rows)
{
	json_t *cells = json_object();

	json_set_u64(object, "rows", rows);
	for (int op = 0; op < TICK_OP_COUNT; op++) {
		char *text;

		if (!map->cells[op])
			continue;
		text = cells_text(map, (enum tick_op)op, bins, first, rows);
		json_object_set_new(cells, tick_op_name((enum tick_op)op), json_string(text));
		free(text);
	}
	json_object_set_new(object, "cells", cells);
}

static json_t *latency(const struct report *r)
{
	uint32_t lowest, highest;
	json_t *object;

	if (!heat_map_range(&r->latency, &lowest, &highest))
		return json_null();
	/* Whole powers of two. */
	lowest -= lowest % r->latency_octave_rows;
	highest += r->latency_octave_rows - 1 - highest % r->latency_octave_rows;
	object = json_object();
	json_set_u64(object, "rows_per_octave", r->latency_octave_rows);
	json_set_u64(object, "first_row", lowest);
	set_cells(object, &r->latency, r->timeline.bins, lowest, highest - lowest + 1);
	return object;
}

static json_t *addresses(const struct report *r)
{
	const struct address_map *a = r->addresses;
	uint32_t lowest, highest;
	json_t *object;

	if (!a || !heat_map_range(&a->map, &lowest, &highest))
		return json_null();
	object = json_object();
	json_set_text(object, "device", r->addresses_device);
	json_set_u64(object, "base_bytes", a->base_bytes + lowest * a->row_bytes);
	json_set_u64(object, "row_bytes", a->row_bytes);
	set_cells(object, &a->map, r->timeline.bins, lowest, highest - lowest + 1);
	return object;
}

static json_t *task(const struct task_load *load, uint32_t bins)
{
	json_t *object = json_object();

	if (load->name.name) {
		json_set_text(object, "name", load->name.name);
		json_set_u64(object, "pid", load->name.tgid);
	} else {
		json_object_set_new(object, "name", json_null());
		json_object_set_new(object, "pid", json_null());
	}
	json_object_set_new(object, "ios", array_u32(load->ios, bins));
	json_object_set_new(object, "bytes", array_u64(load->bytes, bins));
	json_object_set_new(object, "time_ns", array_u64(load->time_ns, bins));
	return object;
}

static json_t *tasks(const struct report *r)
{
	json_t *list = json_array();

	for (const struct task_load *load = r->tasks.list; load; load = load->next)
		json_array_append_new(list, task(load, r->timeline.bins));
	if (r->tasks.others.total_ios)
		json_array_append_new(list, task(&r->tasks.others, r->timeline.bins));
	return list;
}

static uint64_t since(uint64_t time_ns, uint64_t start_ns)
{
	return time_ns > start_ns ? time_ns - start_ns : 0;
}

static json_t *cache(const struct report *r)
{
	enum {
		FROM,
		TO,
		READ,
		MISSED,
		READAHEAD,
		DIRTIED,
		WRITTEN_BACK,
		EVICTED,
		COLUMNS
	};
	static const char *const names[COLUMNS] = {
		"from_ns",	   "to_ns",	    "read_pages",	  "miss_pages",
		"readahead_pages", "dirtied_pages", "written_back_pages", "evicted_pages"};
	const struct explain_cache *known = &r->explanation->cache;
	uint64_t start_ns = r->timeline.start_ns;
	json_t *object, *columns[COLUMNS];

	if (!r->cache.count)
		return json_null();
	object = json_object();
	for (int c = 0; c < COLUMNS; c++) {
		columns[c] = json_array();
		json_object_set_new(object, names[c], columns[c]);
	}
	for (uint32_t i = 0; i < r->cache.count; i++) {
		const struct cache_interval *v = &r->cache.list[i];
		const uint64_t values[COLUMNS] = {since(v->from_ns, start_ns),
						  since(v->to_ns, start_ns),
						  v->read,
						  v->missed,
						  v->readahead,
						  v->dirtied,
						  v->written_back,
						  v->evicted};

		for (int c = 0; c < COLUMNS; c++)
			json_array_append_new(columns[c], json_integer((json_int_t)values[c]));
	}
	if (!explain_cache_knows(known, CACHE_READS))
		json_object_set_new(object, names[READ], json_null());
	if (!explain_cache_knows(known, CACHE_DEMAND_MISSES))
		json_object_set_new(object, names[MISSED], json_null());
	if (!explain_cache_knows(known, CACHE_READAHEAD))
		json_object_set_new(object, names[READAHEAD], json_null());
	return object;
}

static json_t *curve(const struct histogram *h)
{
	json_t *array = json_array();
	double above = 1;

	for (unsigned int i = 0; i < PERCENTILE_STEPS; i++) {
		if (i && i % STEPS_PER_TEN == 0)
			above /= 10;
		if (above * step_factors[i % STEPS_PER_TEN] * (double)h->count < 1)
			break;
		json_array_append_new(
			array, json_integer((json_int_t)histogram_percentile(
				       h, 100 * (1 - above * step_factors[i % STEPS_PER_TEN]))));
	}
	return array;
}

/* With the flushes are the requests for one. */
static void add_latency(struct histogram *sum, const struct explain_device *d, int op, int part)
{
	if (d->latency_by_op[op][part])
		histogram_merge(sum, d->latency_by_op[op][part]);
	if (op == TICK_FLUSH && d->flush_request_latency[part])
		histogram_merge(sum, d->flush_request_latency[part]);
}

/*
 * Of all devices, each IO of a stack of them once: at the highest layer that measured this part.
 * Who named devices means all of their IOs.
 */
static void sum_latency(struct histogram *sum, const struct explanation *x, int op, int part)
{
	bool leave_out = !x->devices_chosen;

	histogram_init(sum);
	for (uint32_t i = 0; i < x->device_count; i++)
		add_latency(sum, x->devices[i], op, part);
	for (uint32_t i = 0; i < x->device_count && leave_out; i++)
		leave_out = !x->devices[i]->linked.latency[op][part] ||
			    x->devices[i]->linked.latency[op][part]->count < sum->count;
	for (uint32_t i = 0; i < x->device_count && leave_out; i++)
		if (x->devices[i]->linked.latency[op][part])
			histogram_take_out(sum, x->devices[i]->linked.latency[op][part]);
}

/* -ENOMEM is an empty object. */
static json_t *percentiles(const struct explanation *x)
{
	static const char *const parts[LATENCY_PART_COUNT] = {"queue_ns", "device_ns", "total_ns"};
	struct histogram *sum = malloc(sizeof(*sum));
	json_t *object = json_object();

	for (int op = 0; sum && op < TICK_OP_COUNT; op++) {
		json_t *one = json_object();

		for (int part = 0; part < LATENCY_PART_COUNT; part++) {
			sum_latency(sum, x, op, part);
			if (sum->count)
				json_object_set_new(one, parts[part], curve(sum));
		}
		if (json_object_size(one))
			json_object_set(object, tick_op_name((enum tick_op)op), one);
		json_decref(one);
	}
	free(sum);
	return object;
}

static json_t *sizes(const struct report *r)
{
	json_t *object = json_object();

	for (int op = 0; op < TICK_OP_COUNT; op++) {
		const struct report_sizes *s = &r->sizes[op];
		uint32_t count = REPORT_SIZES;
		json_t *one;

		while (count && !s->ios[count - 1])
			count--;
		if (!count)
			continue;
		one = json_object();
		json_object_set_new(one, "ios", array_u64(s->ios, count));
		json_object_set_new(one, "bytes", array_u64(s->bytes, count));
		json_object_set_new(object, tick_op_name((enum tick_op)op), one);
	}
	return object;
}

static json_t *miss_curve(const struct mrc_curve *c)
{
	json_t *object, *bytes, *ratio;

	if (!c->references)
		return json_null();
	object = json_object();
	bytes = json_array();
	ratio = json_array();
	for (unsigned int i = 0; i < MRC_POINTS; i++) {
		json_array_append_new(bytes,
				      json_integer((json_int_t)(mrc_point_blocks(i) * PAGE_BYTES)));
		json_array_append_new(ratio, json_real(c->miss_ratio[i]));
		if (mrc_point_blocks(i) >= c->footprint_blocks)
			break;
	}
	json_set_u64(object, "references", c->references);
	json_set_u64(object, "footprint_bytes", c->footprint_blocks * PAGE_BYTES);
	json_set_u64(object, "sampled_one_block_in", c->sampled_one_block_in);
	json_object_set_new(object, "cache_bytes", bytes);
	json_object_set_new(object, "miss_ratio", ratio);
	return object;
}

static json_t *slowest(const struct report *r)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < r->slowest_count; i++) {
		const struct explain_slow_io *slow = &r->slowest[i];
		const struct io_row *row = &slow->row;
		json_t *object = json_object();
		uint64_t queue_ns;

		json_set_u64(object, "at_ns", since(io_row_time_ns(row), r->timeline.start_ns));
		json_set_u64(object, "total_ns", slow->total_ns);
		if (explain_queue_ns(row, &queue_ns))
			json_set_u64(object, "queue_ns", queue_ns);
		else
			json_object_set_new(object, "queue_ns", json_null());
		json_set_text(object, "op", tick_op_name((enum tick_op)explain_column(row)));
		json_set_u64(object, "bytes", row->bytes);
		json_set_u64(object, "offset_bytes", row->sector * SECTOR_BYTES);
		json_set_text(object, "device", slow->device);
		json_set_text(object, "task", slow->comm);
		json_set_u64(object, "pid", slow->pid);
		if (slow->file)
			json_set_text(object, "file", slow->file);
		else
			json_object_set_new(object, "file", json_null());
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *groups(const struct explanation *x)
{
	json_t *object = json_object();

	json_set_u64(object, "tasks", explain_groups_count(&x->by_task));
	json_set_u64(object, "commands", explain_groups_count(&x->by_command));
	json_set_u64(object, "files", explain_groups_count(&x->by_file));
	json_set_u64(object, "cgroups", explain_groups_count(&x->by_cgroup));
	return object;
}

/* Tasks may be thousands. */
static void cut_waits(json_t *explained)
{
	json_t *tasks = json_object_get(json_object_get(explained, "waits"), "tasks");

	while (json_array_size(tasks) > REPORT_LISTED_MAX)
		json_array_remove(tasks, json_array_size(tasks) - 1);
}

static json_t *one_trace(const struct report_trace *trace, const char *first_path)
{
	const struct report *r = trace->report;
	const struct explanation *x = r->explanation;
	json_t *object = json_object(), *explained;

	explained = explain_json(trace->path, x, EXPLAIN_BY_ALL, REPORT_LISTED_MAX);
	json_object_del(explained, "schema");
	cut_waits(explained);
	json_object_set_new(object, "explain", explained);
	json_object_set_new(object, "groups", groups(x));
	if (x->host.start_wall_ns)
		json_set_u64(object, "start_wall_ns", x->host.start_wall_ns);
	else
		json_object_set_new(object, "start_wall_ns", json_null());
	json_set_bool(object, "anonymized", x->host.anonymized);
	json_set_u64(object, "bins", r->timeline.bins);
	json_set_u64(object, "bin_ns", r->timeline.width_ns);
	json_object_set_new(object, "load", load(&r->timeline));
	json_object_set_new(object, "depth", depth(&r->timeline));
	json_object_set_new(object, "latency", latency(r));
	json_object_set_new(object, "addresses", addresses(r));
	json_object_set_new(object, "tasks", tasks(r));
	json_object_set_new(object, "page_cache", cache(r));
	json_object_set_new(object, "percentiles", percentiles(x));
	json_object_set_new(object, "sizes", sizes(r));
	json_object_set_new(object, "miss_curve", miss_curve(&r->misses));
	json_object_set_new(object, "slowest", slowest(r));
	json_object_set_new(object, "comparison", report_comparison_json(trace, first_path));
	return object;
}

json_t *report_json(const struct report_trace *traces, unsigned int count)
{
	json_t *document = json_document("report"), *list = json_array();

	if (!document || !list) {
		json_decref(document);
		json_decref(list);
		return NULL;
	}
	for (unsigned int i = 0; i < count; i++)
		json_array_append_new(list, one_trace(&traces[i], traces[0].path));
	json_object_set_new(document, "traces", list);
	json_object_set_new(document, "figures", report_figures_json());
	return document;
}
