// SPDX-License-Identifier: MIT
#include "bench/document.h"
#include "render/bench/bench.h"
#include "render/json.h"

static json_t *point_json(const struct bench_point *p, const struct bench_figures *f)
{
	json_t *point = json_object();

	bench_point__set(point, p);
	bench_figures__set(point, f);
	return point;
}

static json_t *tracked_json(const struct bench_results *r, const struct bench_tracked *t)
{
	json_t *object = json_object(), *rounds = json_array();

	json_set_u64(object, "bs_bytes", t->bs_bytes);
	json_set_u64(object, "read_pct", (uint64_t)t->mix_pct);
	for (unsigned int i = 0; i < r->done; i++) {
		const struct bench_point *p = &r->points->items[i];

		if (p->round && p->round <= r->steady.rounds && p->bs_bytes == t->bs_bytes &&
		    p->mix_pct == t->mix_pct)
			json_array_append_new(rounds, json_real(bench_pts__figure(r->points->pts,
										  &r->figures[i])));
	}
	json_object_set_new(object, "rounds", rounds);
	json_set_bool(object, "reached", t->verdict.reached);
	json_set_real(object, "mean", t->verdict.mean);
	json_set_real(object, "range_pct", t->verdict.range_pct);
	json_set_real(object, "slope_pct", t->verdict.slope_pct);
	return object;
}

static json_t *steady_json(const struct bench_results *r)
{
	json_t *steady = json_object(), *tracked = json_array();

	json_set_text(steady, "figure", bench_figure_name(r->points->pts->figure));
	json_set_u64(steady, "rounds", r->steady.rounds);
	json_set_u64(steady, "rounds_max", r->points->pts->rounds_max);
	json_set_bool(steady, "reached", r->steady.reached);
	for (unsigned int i = 0; i < r->steady.tracked_count; i++)
		json_array_append_new(tracked, tracked_json(r, &r->steady.tracked[i]));
	json_object_set_new(steady, "tracked", tracked);
	return steady;
}

json_t *bench_json(const struct bench_results *r)
{
	json_t *document = json_document("bench"), *points = json_array();

	json_set_text(document, "plan", r->plan);
	json_set_text(document, "target", r->target);
	json_set_u64(document, "target_bytes", r->target_bytes);
	json_set_text(document, "model", r->model);
	json_set_text(document, "kernel", r->kernel);
	json_set_text(document, "cpu", r->cpu);
	json_set_u64(document, "runtime_ns", r->runtime_ns);
	json_set_u64(document, "merged_results", r->merged);
	json_set_u64(document, "points_planned", r->is_whole ? r->done : r->points->count);
	if (r->steady_figure)
		json_set_text(document, "steady_figure", r->steady_figure);
	for (unsigned int i = 0; i < r->done; i++)
		json_array_append_new(points, point_json(&r->points->items[i], &r->figures[i]));
	json_object_set_new(document, "points", points);
	if (r->points->pts)
		json_object_set_new(document, "pts", steady_json(r));
	return document;
}
