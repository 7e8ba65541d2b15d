// SPDX-License-Identifier: MIT
#include "render/compare/pair.h"
#include "render/compare/runs.h"
#include "render/json.h"

static json_t *interval_json(const struct interval *interval)
{
	json_t *object = json_object();

	json_set_real(object, "value", interval->value);
	json_set_real(object, "low", interval->low);
	json_set_real(object, "high", interval->high);
	return object;
}

static void set_figure(json_t *object, const char *key, const struct repetitions *r,
		       const char *name)
{
	struct interval interval;

	if (!repetitions__figure(r, name, &interval))
		json_object_set_new(object, key, interval_json(&interval));
}

static json_t *latency_json(const struct repetitions *r, const char *op,
			    enum latency_verdict verdict)
{
	static const char *const keys[] = {"mean", "p50", "p90", "p99", "p99_9", "max"};
	json_t *object = json_object();

	json_set_text(object, "verdict", latency_verdict_name(verdict));
	for (unsigned int part = 0; part < LATENCY_PARTS; part++) {
		json_t *into = part == LATENCY_TOTAL ? object : json_object();

		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
			char name[LIMIT_NAME_MAX];

			snprintf(name, sizeof(name), "latency.%s.%s%s%s", op,
				 part ? latency_part_name(part) : "", part ? "." : "", keys[i]);
			set_figure(into, keys[i], r, name);
		}
		if (part != LATENCY_TOTAL)
			json_object_set_new(object, latency_part_name(part), into);
	}
	return object;
}

static json_t *runs_json(const struct run_set *set, const struct run_names *names)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < set->count; i++)
		json_array_append_new(array, render_side_json(set->figures[i], set->missing[i],
							      names->paths[i], names->devices[i]));
	return array;
}

static json_t *candidate_json(const struct compared *c)
{
	const struct comparison *typical = &c->r->typical;
	json_t *object = json_object(), *latency = json_object(), *throughput = json_object();
	json_t *differs = json_array();

	json_object_set_new(object, "runs", runs_json(c->r->b, c->b));
	json_object_set_new(object, "workload", render_workload_json(typical));
	if (typical->no_verdict)
		json_object_set_new(object, "same_workload", json_null());
	else
		json_set_bool(object, "same_workload", typical->same_workload);
	if (typical->no_verdict)
		json_set_text(object, "no_verdict_reason", typical->no_verdict_reason);
	for (unsigned int i = 0; i < FIGURE_COUNT; i++)
		if (typical->differs[i])
			json_array_append_new(differs, json_string(figure_info(i)->name));
	json_object_set_new(object, "differs", differs);
	json_object_set_new(latency, "read", latency_json(c->r, "read", c->r->read));
	json_object_set_new(latency, "write", latency_json(c->r, "write", c->r->write));
	json_object_set_new(object, "latency", latency);
	set_figure(throughput, "iops", c->r, "throughput.iops");
	set_figure(throughput, "bytes_per_s", c->r, "throughput.bytes_per_s");
	json_object_set_new(object, "throughput", throughput);
	json_object_set_new(object, "limits", render_limits_json(c->limits, c->limit_count));
	json_set_text(object, "summary", typical->summary);
	return object;
}

json_t *render_limits_json(const struct limit_result *limits, unsigned int count)
{
	json_t *array = json_array();

	for (unsigned int i = 0; i < count; i++) {
		json_t *entry = interval_json(&limits[i].figure);

		json_set_text(entry, "figure", limits[i].limit->name);
		json_set_text(entry, "fails", limits[i].limit->is_floor ? "below" : "above");
		json_set_real(entry, "limit", limits[i].limit->limit);
		json_set_text(entry, "outcome", limit_outcome_name(limits[i].outcome));
		json_array_append_new(array, entry);
	}
	return array;
}

int render_runs_json(const struct compared *list, unsigned int count, FILE *out)
{
	json_t *document = json_document("compare-runs"), *candidates = json_array();

	json_object_set_new(document, "base", runs_json(list[0].r->a, list[0].a));
	for (unsigned int i = 0; i < count; i++)
		json_array_append_new(candidates, candidate_json(&list[i]));
	json_object_set_new(document, "candidates", candidates);
	return json_print(out, document);
}
