// SPDX-License-Identifier: MIT
#include "render/replay/replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/histogram_text.h"
#include "render/json.h"
#include "render/missing.h"

const char *replay_priority_name(enum priority_class priority)
{
	static const char *const names[] = {[PRIORITY_NORMAL] = "normal",
					    [PRIORITY_HIGH] = "high",
					    [PRIORITY_REALTIME] = "real-time"};

	return names[priority];
}

const char *replay_fit_name(enum replay_fit fit)
{
	static const char *const names[] = {[REPLAY_FIT_NONE] = "none",
					    [REPLAY_FIT_WRAP] = "wrap",
					    [REPLAY_FIT_SCALE] = "scale",
					    [REPLAY_FIT_COMPACT] = "compact"};

	return names[fit];
}

static double measured_seconds(const struct replay_outcome *o)
{
	uint64_t duration_ns = o->result->duration_ns, ramp_ns = o->engine->ramp_ns;

	return duration_ns > ramp_ns ? (double)(duration_ns - ramp_ns) / 1e9 : 0;
}

double replay_outcome_iops(const struct replay_outcome *o)
{
	double seconds = measured_seconds(o);
	uint64_t ios = engine_result__completed(o->result) - o->result->ramp_ios;

	return seconds > 0 ? (double)ios / seconds : 0;
}

double replay_outcome_bytes_per_second(const struct replay_outcome *o)
{
	double seconds = measured_seconds(o);
	uint64_t bytes = engine_result__bytes(o->result) - o->result->ramp_bytes;

	return seconds > 0 ? (double)bytes / seconds : 0;
}

double replay_outcome_spun_pct(const struct replay_outcome *o)
{
	uint64_t duration_ns = o->result->duration_ns;

	return duration_ns ? 100 * (double)o->result->spun_ns / (double)duration_ns : 0;
}

double replay_outcome_cpu_wait_pct(const struct replay_outcome *o)
{
	uint64_t duration_ns = o->result->duration_ns;

	return duration_ns ? 100 * (double)o->result->cpu_wait_ns / (double)duration_ns : 0;
}

static json_t *disturbance_json(const struct replay_outcome *o)
{
	const struct replay_disturbance *d = &o->disturbance;
	json_t *object = json_object();

	json_set_bool(object, "disturbed", disturbance__is_much(d, replay_outcome_cpu_wait_pct(o)));
	json_set_u64(object, "cpu_wait_ns", o->result->cpu_wait_ns);
	json_set_real(object, "others_pct", d->others_pct < 0 ? NAN : d->others_pct);
	json_set_real(object, "stolen_pct", d->stolen_pct < 0 ? NAN : d->stolen_pct);
	json_set_real(object, "pressure_pct", d->pressure_pct < 0 ? NAN : d->pressure_pct);
	return object;
}

uint64_t replay_outcome_unsupported(const struct replay_outcome *o)
{
	return o->reads_only ? 0 : o->result->left_out;
}

uint64_t replay_outcome_not_read(const struct replay_outcome *o)
{
	return o->reads_only ? o->result->left_out : 0;
}

static json_t *without_json(const struct replay_outcome *o)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < o->without_count; i++)
		json_array_append_new(list, json_string(o->without[i]));
	return list;
}

static json_t *source_json(const struct replay_outcome *o)
{
	json_t *source = json_object();

	json_set_text(source, "path", o->source_path);
	if (o->source_device)
		json_set_text(source, "device", o->source_device);
	json_set_u64(source, "ios", o->source_ios);
	json_object_set_new(source, "without", without_json(o));
	json_set_u64(source, "left_out_ios", o->left_out_ios);
	json_set_u64(source, "flush_machinery_ios", o->flush_machinery_ios);
	if (o->source_depth_max)
		json_set_u64(source, "depth_max", o->source_depth_max);
	json_set_u64(source, "rounds", o->rounds);
	json_set_u64(source, "out_of_order", o->out_of_order);
	json_object_set_new(source, "missing", render_missing_json(o->missing, ROW_IO));
	return source;
}

json_t *replay_target_json(const struct target_info *info)
{
	json_t *target = json_object();

	json_set_text(target, "path", info->path);
	json_set_text(target, "kind", info->block_device ? "block_device" : "file");
	json_set_text(target, "model", info->model);
	json_set_u64(target, "size_bytes", info->size_bytes);
	json_set_u64(target, "block_bytes", info->block_bytes);
	json_set_bool(target, "direct", info->direct);
	json_set_bool(target, "buffered", info->buffered);
	json_set_bool(target, "exclusive", info->exclusive);
	return target;
}

static json_t *latency_json(const struct histogram *intended, const struct histogram *submitted)
{
	json_t *latency = json_object();

	json_object_set_new(latency, "intended", json_distribution(intended));
	json_object_set_new(latency, "submitted", json_distribution(submitted));
	return latency;
}

static json_t *sizes_json(const struct engine_op_result *op)
{
	json_t *sizes = json_array();

	for (unsigned int size = 0; size < ENGINE_SIZES; size++) {
		const struct engine_latency *latency = &op->sizes[size];
		json_t *entry;

		if (!latency->submitted_ns.count)
			continue;
		entry = json_object();
		if (engine_size_bytes(size) == UINT64_MAX)
			json_object_set_new(entry, "up_to_bytes", json_null());
		else
			json_set_u64(entry, "up_to_bytes", engine_size_bytes(size));
		json_object_set_new(entry, "latency_ns",
				    latency_json(&latency->intended_ns, &latency->submitted_ns));
		json_array_append_new(sizes, entry);
	}
	return sizes;
}

static json_t *ops_json(const struct engine_result *result)
{
	json_t *ops = json_object();

	for (unsigned int i = 0; i < REPLAY_OP_COUNT; i++) {
		const struct engine_op_result *op = &result->ops[i];
		json_t *entry;

		if (!op->issued && i > REPLAY_FLUSH)
			continue;
		entry = json_object();
		json_set_u64(entry, "issued", op->issued);
		json_set_u64(entry, "completed", op->completed);
		json_set_u64(entry, "errors", op->errors);
		json_set_u64(entry, "bytes", op->bytes);
		json_object_set_new(entry, "latency_ns",
				    latency_json(&op->intended_ns, &op->submitted_ns));
		json_object_set_new(entry, "sizes", sizes_json(op));
		json_object_set_new(ops, replay_op_name(i), entry);
	}
	return ops;
}

static json_t *errors_json(const struct engine_result *result)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < result->error_kinds; i++) {
		const struct engine_error *error = &result->errors[i];
		json_t *entry = json_object();

		json_set_text(entry, "op", replay_op_name(error->op));
		json_set_u64(entry, "errno", (uint64_t)error->error);
		json_set_text(entry, "text",
			      error->error ? strerror(error->error) : "fewer bytes than asked for");
		json_set_u64(entry, "count", error->count);
		json_array_append_new(list, entry);
	}
	return list;
}

static void set_all_latency(json_t *document, const struct engine_result *result, bool histograms)
{
	char *text;
	struct histogram intended, submitted;

	histogram_init(&intended);
	histogram_init(&submitted);
	for (unsigned int op = 0; op < REPLAY_OP_COUNT; op++) {
		histogram_merge(&intended, &result->ops[op].intended_ns);
		histogram_merge(&submitted, &result->ops[op].submitted_ns);
	}
	json_object_set_new(document, "latency_ns", latency_json(&intended, &submitted));
	if (!histograms)
		return;
	text = histogram_text(&submitted);
	json_set_text(document, "latency_histogram", text ? text : "");
	free(text);
}

static void set_changes(json_t *document, const struct replay_outcome *o)
{
	json_set_u64(document, "unsupported", replay_outcome_unsupported(o));
	json_set_u64(document, "emulated", o->result->emulated);
	json_set_u64(document, "atomic", o->result->atomic);
	json_set_u64(document, "skipped_not_read", replay_outcome_not_read(o));
	json_set_text(document, "fit", replay_fit_name(o->fit));
	json_set_u64(document, "aligned", o->result->aligned);
	json_set_u64(document, "wrapped", o->result->wrapped);
	json_set_u64(document, "clipped", o->result->clipped);
	json_set_bool(document, "reads_only", o->reads_only);
}

static json_t *dependence_json(const struct engine_result *r)
{
	json_t *waited_for = json_object();

	json_set_u64(waited_for, "start", r->anchors[REPLAY_ANCHOR_START]);
	json_set_u64(waited_for, "submission", r->anchors[REPLAY_ANCHOR_SUBMIT]);
	json_set_u64(waited_for, "own_completion", r->anchors[REPLAY_ANCHOR_OWN]);
	json_set_u64(waited_for, "other_completion", r->anchors[REPLAY_ANCHOR_OTHER]);
	json_set_u64(waited_for, "tasks", r->streams);
	json_set_u64(waited_for, "without_completion", r->uncounted);
	json_set_u64(waited_for, "completed_early", r->overflowed);
	return waited_for;
}

static json_t *steady_json(const struct replay_outcome *o)
{
	json_t *steady = json_object();
	bool known = *o->steady_rounds >= STEADY_WINDOW, has_mean = known && o->steady->mean > 0;

	json_set_text(steady, "figure", o->steady_figure);
	json_set_bool(steady, "reached", o->steady->reached);
	json_set_u64(steady, "rounds", *o->steady_rounds);
	json_set_real(steady, "mean", known ? o->steady->mean : NAN);
	json_set_real(steady, "range_pct", has_mean ? o->steady->range_pct : NAN);
	json_set_real(steady, "slope_pct", has_mean ? o->steady->slope_pct : NAN);
	return steady;
}

/* Sets null if the kernel did not tell. */
static void set_known(json_t *object, const char *key, bool known, uint64_t value)
{
	if (known)
		json_set_u64(object, key, value);
	else
		json_object_set_new(object, key, json_null());
}

static json_t *buffered_json(const struct replay_buffered *b)
{
	json_t *buffered = json_object();

	json_set_text(buffered, "cache", b->cache);
	json_set_u64(buffered, "memory_bytes", b->memory_bytes);
	json_set_u64(buffered, "read_first_bytes", b->read_first_bytes);
	set_known(buffered, "cached_at_start_bytes", b->start_known, b->cached_bytes);
	if (!b->writes)
		return buffered;
	set_known(buffered, "dirty_at_end_bytes", b->end_known, b->dirty_bytes);
	json_set_bool(buffered, "synced", !b->sync_error);
	json_set_u64(buffered, "sync_ns", b->sync_ns);
	return buffered;
}

/* The options of the replay. */
static void set_options(json_t *document, const struct replay_outcome *o)
{
	static const char *const spins[] = {[ENGINE_SPIN_AUTO] = "auto",
					    [ENGINE_SPIN_ALWAYS] = "always",
					    [ENGINE_SPIN_NEVER] = "never"};

	json_set_text(document, "mode", engine_mode_names[o->engine->mode]);
	if (engine_mode__has_due(o->engine->mode)) {
		json_set_real(document, "speed", o->engine->speed);
		json_set_text(document, "spin", spins[o->engine->spin]);
	}
	if (o->engine->mode == ENGINE_DEPENDENT)
		json_object_set_new(document, "dependence", dependence_json(o->result));
	json_set_u64(document, "iodepth", o->engine->iodepth);
	json_set_u64(document, "workers", o->workers);
	if (o->engine->mode == ENGINE_ASAP)
		json_set_u64(document, "completion_batch", o->result->completion_batch);
	json_set_u64(document, "seed", o->engine->seed);
	json_set_u64(document, "compressibility_pct", o->engine->content.compressible_pct);
	if (o->engine->content.own)
		json_set_u64(document, "dedup_pct", o->engine->content.dedup_pct);
}

static void set_counts(json_t *document, const struct replay_outcome *o)
{
	const struct engine_result *result = o->result;

	json_set_u64(document, "issued", engine_result__issued(result));
	json_set_u64(document, "completed", engine_result__completed(result));
	json_set_u64(document, "errors", engine_result__errors(result));
	json_object_set_new(document, "errors_by", errors_json(result));
	json_set_u64(document, "errors_of_other_kinds", result->errors_of_other_kinds);
	set_changes(document, o);
	json_set_u64(document, "preflushes", result->preflushes);
	json_set_u64(document, "split", result->split);
	json_set_u64(document, "split_into", result->split_into);
	json_set_u64(document, "whole_bytes", result->whole_bytes);
	json_set_u64(document, "waited_for_iodepth", result->held_back);
	json_set_u64(document, "waited_for_overlap", result->ordered);
	json_set_u64(document, "waited_for_workers", result->waited);
	json_set_u64(document, "source_stalls", result->starved);
	json_set_u64(document, "lowered_priorities", result->lowered_priorities);
	json_set_u64(document, "unhinted", result->unhinted);
	json_set_u64(document, "blocking_zones", result->blocking_zones);
	json_set_u64(document, "appended", result->appended);
	json_set_u64(document, "blocking_discards", result->blocking_discards);
	json_set_u64(document, "highest_depth", result->highest_depth);
	json_set_bool(document, "stopped", result->stopped);
	json_set_bool(document, "stopped_at_error", result->stopped_at_error);
	json_set_bool(document, "runtime_over", result->runtime_over);
	json_set_bool(document, "registered", result->registered);
	json_set_text(document, "priority", replay_priority_name(result->priority));
	json_set_bool(document, "iopoll", o->engine->iopoll);
	json_set_u64(document, "polled", result->polled);
	json_set_bool(document, "sqpoll", o->engine->sqpoll);
	json_set_u64(document, "cpu_user_ns", result->user_ns);
	json_set_u64(document, "cpu_system_ns", result->system_ns);
}

/* How the submitting thread waited for due times. */
static void set_punctuality(json_t *document, const struct replay_outcome *o)
{
	static const char *const sleep[] = {[CPU_SLEEP_LEFT] = "allowed",
					    [CPU_SLEEP_HELD_OFF] = "held_off",
					    [CPU_SLEEP_NOT_PERMITTED] = "not_permitted",
					    [CPU_SLEEP_NOT_AVAILABLE] = "not_available"};
	const struct engine_result *result = o->result;

	if (!engine_mode__has_due(o->engine->mode))
		return;
	json_set_u64(document, "spin_lead_ns", result->lead_ns);
	json_set_u64(document, "spun_ns", result->spun_ns);
	json_set_real(document, "spun_pct", replay_outcome_spun_pct(o));
	json_set_bool(document, "spin_limited", result->spin_limited);
	json_object_set_new(document, "timer_late_ns", json_distribution(&result->wakeups_ns));
	json_set_text(document, "cpu_sleep", sleep[o->cpu_sleep]);
}

static void set_times(json_t *document, const struct replay_outcome *o)
{
	const struct engine_result *result = o->result;

	json_set_u64(document, "duration_ns", result->duration_ns);
	json_set_u64(document, "intended_duration_ns", result->last_due_ns);
	json_set_real(document, "iops", replay_outcome_iops(o));
	json_set_u64(document, "runtime_ns", o->engine->runtime_ns);
	json_set_u64(document, "ramp_ns", o->engine->ramp_ns);
	json_set_u64(document, "ramp_ios", result->ramp_ios);
	json_set_u64(document, "bytes", engine_result__bytes(result));
	json_object_set_new(document, "lateness_ns", json_distribution(&result->lateness_ns));
	json_object_set_new(document, "sqpoll_delay_ns",
			    json_distribution(&result->sqpoll_delay_ns));
	set_all_latency(document, result, o->histograms);
	json_object_set_new(document, "ops", ops_json(result));
}

json_t *replay_outcome_json(const struct replay_outcome *o)
{
	json_t *document = json_document("replay");

	json_object_set_new(document, "source", source_json(o));
	if (o->target)
		json_object_set_new(document, "target", replay_target_json(o->target));
	set_options(document, o);
	set_counts(document, o);
	set_punctuality(document, o);
	json_object_set_new(document, "disturbance", disturbance_json(o));
	set_times(document, o);
	if (o->buffered)
		json_object_set_new(document, "buffered", buffered_json(o->buffered));
	if (o->steady)
		json_object_set_new(document, "steady", steady_json(o));
	if (o->trace_path)
		json_set_text(document, "trace", o->trace_path);
	return document;
}
