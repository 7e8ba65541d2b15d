// SPDX-License-Identifier: MIT
#include "render/explain/json_waits.h"

#include "render/json.h"

static json_t *causes(const struct explain_cause list[CAUSE_COUNT])
{
	json_t *array = json_array();

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++) {
		json_t *object;

		if (!list[cause].count)
			continue;
		object = json_object();
		json_set_text(object, "cause", wait_cause_name(cause));
		json_set_u64(object, "ns", list[cause].ns);
		json_set_u64(object, "count", list[cause].count);
		json_array_append_new(array, object);
	}
	return array;
}

/* Others behind whose IOs the calls waited. */
static json_t *culprits(const struct explain_calls *c)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < c->culprit_count; i++) {
		json_t *object = json_object();

		json_set_text(object, "name", c->culprits[i].name);
		json_set_text(object, "cause", wait_cause_name(c->culprits[i].cause));
		json_set_u64(object, "ns", c->culprits[i].ns);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *calls(const struct explain_calls *c)
{
	json_t *object = json_object();

	json_set_text(object, "kind", c->kind);
	json_set_u64(object, "count", c->count);
	json_set_u64(object, "ns", c->ns);
	json_set_u64(object, "p50_ns", c->p50_ns);
	json_set_u64(object, "p99_ns", c->p99_ns);
	json_set_u64(object, "max_ns", c->max_ns);
	json_set_u64(object, "no_write_ns", explain_no_write_ns(c));
	json_object_set_new(object, "causes", causes(c->causes));
	json_object_set_new(object, "culprits", culprits(c));
	return object;
}

/* 0 is null. */
static void set_known(json_t *object, const char *key, uint64_t value)
{
	if (value)
		json_set_u64(object, key, value);
	else
		json_object_set_new(object, key, json_null());
}

static json_t *io_limit(const struct explain_io_limit *limit)
{
	json_t *object = limit->cgroup ? json_object() : json_null();

	if (!limit->cgroup)
		return object;
	json_set_text(object, "cgroup", limit->cgroup);
	json_set_text(object, "direction", limit->writes ? "write" : "read");
	set_known(object, "bytes_per_s", limit->bytes_per_s);
	set_known(object, "ios_per_s", limit->ios_per_s);
	return object;
}

static json_t *task(const struct explain_wait_task *t)
{
	json_t *object = json_object(), *list = json_array();

	json_set_text(object, "comm", t->comm);
	json_set_u64(object, "pid", t->pid);
	json_set_u64(object, "tgid", t->tgid);
	json_set_u64(object, "wall_ns", t->wall_ns);
	json_set_u64(object, "cpu_ns", t->cpu_ns);
	json_set_u64(object, "run_queue_ns", t->run_queue_ns);
	json_set_u64(object, "outside_ns", t->outside_ns);
	json_set_u64(object, "unaccounted_ns", t->unaccounted_ns);
	json_object_set_new(object, "limit", io_limit(&t->limit));
	json_object_set_new(object, "causes", causes(t->causes));
	for (uint32_t i = 0; i < t->call_count; i++)
		json_array_append_new(list, calls(&t->calls[i]));
	json_object_set_new(object, "calls", list);
	return object;
}

static json_t *worst(const struct explain_waits *w)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < w->worst_count; i++) {
		const struct explain_worst_wait *wait = &w->worst[i];
		json_t *object = json_object();

		json_set_u64(object, "time_ns", wait->time_ns);
		json_set_u64(object, "duration_ns", wait->duration_ns);
		json_set_text(object, "cause", wait_cause_name(wait->cause));
		json_set_text(object, "kind", wait->kind);
		json_set_text(object, "comm", wait->comm);
		json_set_u64(object, "pid", wait->pid);
		json_set_text(object, "function", wait->function);
		json_set_text(object, "waker", wait->waker);
		if (wait->file)
			json_set_text(object, "file", wait->file);
		if (*wait->culprit)
			json_set_text(object, "culprit", wait->culprit);
		else
			json_object_set_new(object, "culprit", json_null());
		json_set_u64(object, "culprit_ns", wait->culprit_ns);
		json_set_u64(object, "culprit_ios", wait->culprit_ios);
		json_set_u64(object, "culprit_bytes", wait->culprit_bytes);
		json_set_bool(object, "culprit_wrote", wait->culprit_wrote);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *blame(const struct explain_waits *w)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < w->blame_count; i++) {
		const struct explain_blame *pair = &w->blame[i];
		json_t *object = json_object();

		json_set_text(object, "by", explain_blame_by_name(pair->by));
		json_set_text(object, "victim", pair->victim);
		json_set_text(object, "culprit", pair->culprit);
		json_set_text(object, "where", explain_blame_where_name(pair->where));
		json_set_u64(object, "ns", pair->ns);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *others(const struct explain_waits *w)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < w->other_count; i++) {
		json_t *object = json_object();

		json_set_text(object, "function", w->others[i].function);
		json_set_u64(object, "ns", w->others[i].ns);
		json_set_u64(object, "count", w->others[i].count);
		json_array_append_new(list, object);
	}
	return list;
}

json_t *explain_json_waits(const struct explanation *x)
{
	const struct explain_waits *w = &x->waits;
	json_t *object, *tasks;

	if (!w->recorded)
		return json_null();
	object = json_object();
	tasks = json_array();
	json_set_text(object, "quality",
		      w->unexplained || w->no_wakeup_ns ? "bounded" : w->quality);
	json_set_u64(object, "total_ns", w->total_ns);
	json_set_u64(object, "unaccounted_ns", w->unaccounted_ns);
	json_set_u64(object, "unnamed_ns", w->unnamed_ns);
	json_set_u64(object, "unexplained", w->unexplained);
	json_set_u64(object, "no_wakeup_ns", w->no_wakeup_ns);
	json_set_u64(object, "left_out_rows", w->left_out);
	json_object_set_new(object, "causes", causes(w->causes));
	for (uint32_t i = 0; i < w->task_count; i++)
		json_array_append_new(tasks, task(&w->tasks[i]));
	json_object_set_new(object, "tasks", tasks);
	json_object_set_new(object, "worst", worst(w));
	json_object_set_new(object, "blame", blame(w));
	json_object_set_new(object, "other_functions", others(w));
	return object;
}
