// SPDX-License-Identifier: MIT
#include "render/profile/text_closed.h"

#include "base/units.h"
#include "profile/build/closed.h"
#include "render/json.h"

static void latencies(const struct profile *p, FILE *out)
{
	const char *separator = "    latency: ";
	char time[UNITS_TEXT_MAX];

	for (unsigned int op = 0; op < CLOSED_OPS; op++) {
		double mean_ns = closed_mean_latency_ns(p, op);

		if (mean_ns <= 0)
			continue;
		fprintf(out, "%s%s %s", separator, closed_op_name(op),
			units_time((uint64_t)mean_ns, time));
		separator = ", ";
	}
	fputc('\n', out);
}

void render_profile_closed(const struct profile *p, FILE *out)
{
	char think[UNITS_TEXT_MAX], cycle[UNITS_TEXT_MAX];

	if (!p->closed.kind_count)
		return;
	fprintf(out, "\n  Waiting, %.1f %% of the IOs did; %.1f in flight in the mean\n\n",
		p->closed.dependent_permille / 10.0, closed_mean_depth(&p->closed));
	latencies(p, out);
	fprintf(out, "    %-8s %8s %9s %12s %12s %12s\n", "tasks", "IOs", "at once",
		"IOs in flight", "think mean", "cycle mean");
	for (uint32_t k = 0; k < p->closed.kind_count; k++) {
		struct closed_facts f;

		closed_facts(p, k, &f);
		fprintf(out, "    %-8s %6.2f %% %9.1f %13.1f %12s %12s\n",
			p->closed.kinds[k].kernel ? "kernel" : "user", 100 * f.share, f.active,
			f.window, units_time((uint64_t)f.think_ns, think),
			units_time((uint64_t)f.cycle_ns, cycle));
	}
}

static json_t *kind_json(const struct profile *p, uint32_t kind)
{
	const struct closed_tasks *t = &p->closed.kinds[kind];
	json_t *object = json_object(), *active = json_array();
	struct closed_facts f;

	closed_facts(p, kind, &f);
	json_set_bool(object, "kernel", t->kernel);
	json_set_u64(object, "tasks", t->tasks);
	for (uint32_t i = 0; i < p->phase_count; i++)
		json_array_append_new(active, json_integer((json_int_t)t->active[i]));
	json_object_set_new(object, "active", active);
	json_set_real(object, "weight_pct", 100 * f.share);
	json_set_real(object, "in_flight", f.window);
	json_set_real(object, "think_mean_ns", f.think_ns);
	json_set_real(object, "cycle_mean_ns", f.cycle_ns);
	return object;
}

json_t *render_profile_closed_json(const struct profile *p)
{
	json_t *object, *latency, *tasks;

	if (!p->closed.kind_count)
		return json_null();
	object = json_object();
	latency = json_object();
	tasks = json_array();
	json_set_real(object, "dependent_pct", p->closed.dependent_permille / 10.0);
	json_set_real(object, "depth_mean", closed_mean_depth(&p->closed));
	for (unsigned int op = 0; op < CLOSED_OPS; op++)
		if (closed_mean_latency_ns(p, op) > 0)
			json_set_real(latency, closed_op_name(op), closed_mean_latency_ns(p, op));
	json_object_set_new(object, "latency_mean_ns", latency);
	for (uint32_t k = 0; k < p->closed.kind_count; k++)
		json_array_append_new(tasks, kind_json(p, k));
	json_object_set_new(object, "tasks", tasks);
	return object;
}

/* Of all kinds of tasks: sums of tasks, means by IO of the rest. */
static struct closed_facts all_facts(const struct profile *p)
{
	struct closed_facts all = {0}, f;

	for (uint32_t k = 0; k < p->closed.kind_count; k++) {
		closed_facts(p, k, &f);
		all.active += f.active;
		all.window += f.window * f.share;
		all.think_ns += f.think_ns * f.share;
		all.cycle_ns += f.cycle_ns * f.share;
	}
	return all;
}

static void time_row(const char *label, double a_ns, double b_ns, FILE *out)
{
	char a[UNITS_TEXT_MAX], b[UNITS_TEXT_MAX];

	fprintf(out, "%-30s %12s %12s\n", label, units_time((uint64_t)a_ns, a),
		units_time((uint64_t)b_ns, b));
}

void render_profile_diff_closed(const struct profile *a, const struct profile *b, FILE *out)
{
	struct closed_facts of_a = all_facts(a), of_b = all_facts(b);

	if (!a->closed.kind_count && !b->closed.kind_count)
		return;
	if (!a->closed.kind_count || !b->closed.kind_count) {
		fprintf(out, "\nOnly %s has a closed loop.\n", a->closed.kind_count ? "A" : "B");
		return;
	}
	fprintf(out, "\n%-30s %12s %12s\n", "Waiting", "A", "B");
	fprintf(out, "%-30s %10.1f %% %10.1f %%\n", "IOs that waited",
		a->closed.dependent_permille / 10.0, b->closed.dependent_permille / 10.0);
	fprintf(out, "%-30s %12.1f %12.1f\n", "in flight, mean", closed_mean_depth(&a->closed),
		closed_mean_depth(&b->closed));
	fprintf(out, "%-30s %12.1f %12.1f\n", "tasks at once", of_a.active, of_b.active);
	fprintf(out, "%-30s %12.1f %12.1f\n", "IOs in flight of a task", of_a.window, of_b.window);
	time_row("think time, mean", of_a.think_ns, of_b.think_ns, out);
	time_row("submission to next, mean", of_a.cycle_ns, of_b.cycle_ns, out);
}
