// SPDX-License-Identifier: MIT
#include "render/bench/bench.h"
#include "render/json.h"

static json_t *point_json(const struct bench_point *p, const struct bench_figures *f)
{
	json_t *point = json_object();

	json_set_text(point, "name", p->name);
	if (p->bs_bytes)
		json_set_u64(point, "bs_bytes", p->bs_bytes);
	if (p->mix_pct != BENCH_NO_MIX)
		json_set_u64(point, "read_pct", (uint64_t)p->mix_pct);
	json_set_u64(point, "depth", p->depth);
	json_set_u64(point, "jobs", p->jobs);
	json_set_u64(point, "repeat", p->repeat);
	json_set_real(point, "iops", f->iops);
	json_set_real(point, "read_iops", f->read_iops);
	json_set_real(point, "write_iops", f->write_iops);
	json_set_real(point, "bytes_per_s", f->bytes_per_s);
	json_set_u64(point, "ios", f->ios);
	json_set_u64(point, "errors", f->errors);
	json_set_u64(point, "duration_ns", f->duration_ns);
	json_set_real(point, "mean_ns", f->mean_ns);
	json_set_u64(point, "p50_ns", f->p50_ns);
	json_set_u64(point, "p99_ns", f->p99_ns);
	json_set_u64(point, "p99_9_ns", f->p99_9_ns);
	json_set_u64(point, "max_ns", f->max_ns);
	return point;
}

json_t *bench_json(const struct bench_results *r)
{
	json_t *document = json_document("bench"), *points = json_array();

	json_set_text(document, "plan", r->plan);
	json_set_text(document, "target", r->options->target);
	json_set_u64(document, "runtime_ns", r->options->runtime_ns);
	json_set_u64(document, "points_planned", r->points->count);
	for (unsigned int i = 0; i < r->done; i++)
		json_array_append_new(points, point_json(&r->points->items[i], &r->figures[i]));
	json_object_set_new(document, "points", points);
	return document;
}
