// SPDX-License-Identifier: MIT
#include "render/explain/explain.h"

#include <errno.h>
#include <stdlib.h>

#include "base/units.h"
#include "render/explain/json_peaks.h"
#include "render/explain/json_waits.h"
#include "render/explain/json_what_if.h"
#include "render/json.h"
#include "render/owners.h"

static json_t *counters(const struct explain_counters *c)
{
	json_t *object = json_object();

	json_set_u64(object, "ios", c->ios);
	json_set_u64(object, "merges", c->merges);
	json_set_u64(object, "bytes", c->bytes);
	json_set_u64(object, "ticks_ms", c->ticks_ms);
	return object;
}

static json_t *distribution(const struct histogram *h)
{
	return h ? json_distribution(h) : json_null();
}

static json_t *latency(struct histogram *const parts[LATENCY_PART_COUNT])
{
	json_t *object = json_object();

	json_object_set_new(object, "queue", distribution(parts[LATENCY_QUEUE]));
	json_object_set_new(object, "device", distribution(parts[LATENCY_DEVICE]));
	json_object_set_new(object, "total", distribution(parts[LATENCY_TOTAL]));
	return object;
}

static json_t *origins(const struct explain_origin *origin)
{
	json_t *object = json_object();

	for (int i = 0; i < IO_ORIGIN_COUNT; i++) {
		json_t *one = json_object();

		json_set_u64(one, "ios", origin[i].ios);
		json_set_u64(one, "bytes", origin[i].bytes);
		json_set_u64(one, "latency_ns", origin[i].latency_ns);
		json_object_set_new(object, io_origin_name((enum io_origin)i), one);
	}
	return object;
}

/* The check of the rows: what the kernel counted in the same time, and the difference. */
static void set_kernel(json_t *object, const struct explain_device *d)
{
	json_t *kernel, *difference;

	if (d->agreement == AGREEMENT_UNKNOWN)
		json_object_set_new(object, "agrees_with_kernel", json_null());
	else
		json_set_bool(object, "agrees_with_kernel", d->agreement != AGREEMENT_DIFFERS);
	if (!d->tick_rows) {
		json_object_set_new(object, "kernel", json_null());
		return;
	}
	kernel = json_object();
	difference = json_object();
	for (int op = 0; op < TICK_OP_COUNT; op++) {
		const struct explain_counters *ours = &d->counted[op], *theirs = &d->kernel[op];
		const char *name = tick_op_name((enum tick_op)op);

		json_object_set_new(kernel, name, counters(theirs));
		json_object_set_new(difference, name,
				    json_pack("{s:I,s:I,s:I,s:I}", "ios",
					      (json_int_t)(ours->ios - theirs->ios), "merges",
					      (json_int_t)(ours->merges - theirs->merges), "bytes",
					      (json_int_t)(ours->bytes - theirs->bytes), "ticks_ms",
					      (json_int_t)(ours->ticks_ms - theirs->ticks_ms)));
	}
	json_set_u64(kernel, "busy_ms", d->kernel_busy_ms);
	json_set_u64(kernel, "in_queue_ms", d->kernel_in_queue_ms);
	json_object_set_new(object, "kernel", kernel);
	json_object_set_new(object, "difference", difference);
	json_set_bool(object, "agrees_exactly", d->agreement == AGREEMENT_EXACT);
	json_set_u64(object, "in_flight_at_edges", d->started_before + d->in_flight_at_last_tick);
}

static void set_distributions(json_t *object, const struct explain_device *d)
{
	json_t *by_op = json_object(), *sizes = json_object();

	for (int op = 0; op < TICK_OP_COUNT; op++) {
		const char *name = tick_op_name((enum tick_op)op);

		if (d->latency_by_op[op][LATENCY_TOTAL])
			json_object_set_new(by_op, name, latency(d->latency_by_op[op]));
		if (d->size_bytes[op])
			json_object_set_new(sizes, name, json_distribution(d->size_bytes[op]));
	}
	if (d->flush_request_latency[LATENCY_TOTAL])
		json_object_set_new(by_op, "flush_request", latency(d->flush_request_latency));
	json_object_set_new(object, "latency_ns", latency(d->latency));
	json_object_set_new(object, "latency_by_op_ns", by_op);
	json_object_set_new(object, "size_bytes", sizes);
}

static json_t *linked(const struct explain_linked *l)
{
	json_t *object = json_object(), *origin = json_object(), *by_op = json_object();

	for (int op = 0; op < TICK_OP_COUNT; op++) {
		const struct histogram *total = l->latency[op][LATENCY_TOTAL];
		json_t *sums = json_object();

		json_set_u64(sums, "ios", total ? total->count : 0);
		json_set_u64(sums, "queue_ns", l->latency_ns[op][LATENCY_QUEUE]);
		json_set_u64(sums, "device_ns", l->latency_ns[op][LATENCY_DEVICE]);
		json_set_u64(sums, "total_ns", l->latency_ns[op][LATENCY_TOTAL]);
		json_object_set_new(by_op, tick_op_name((enum tick_op)op), sums);
	}
	json_object_set_new(origin, "read", origins(l->origin[DIRECTION_READ]));
	json_object_set_new(origin, "write", origins(l->origin[DIRECTION_WRITE]));
	json_object_set_new(object, "latency", by_op);
	json_object_set_new(object, "origin", origin);
	return object;
}

static void set_share(json_t *object, const char *key, uint64_t part, uint64_t whole)
{
	if (whole)
		json_set_real(object, key, explain_pct(part, whole));
	else
		json_object_set_new(object, key, json_null());
}

static json_t *device(const struct explain_device *d, uint64_t duration_ns)
{
	json_t *object = json_object(), *depth = json_object(), *origin = json_object();

	json_set_text(object, "name", d->info.name);
	for (int op = 0; op < TICK_OP_COUNT; op++)
		json_object_set_new(object, tick_op_name((enum tick_op)op),
				    counters(&d->counted[op]));
	json_set_u64(object, "flush_requests", d->flush_requests);
	json_set_u64(object, "flushes_requested", d->flushes_requested);
	json_set_u64(object, "preflush_ns", d->preflush_ns);
	json_set_u64(object, "passthrough_ios", d->passthrough_ios);
	json_set_u64(object, "errors", explain_errors(d));
	json_set_u64(object, "started_before", d->started_before);
	json_set_u64(object, "ios_without_latency", d->untimed_ios);
	json_set_u64(object, "ios_timed_from_issue", d->timed_from_issue_ios);
	json_set_u64(object, "linked_ios", d->linked_ios);
	if (d->linked_ios)
		json_object_set_new(object, "linked", linked(&d->linked));
	json_object_set_new(object, "lower_devices",
			    json_pack("{s:I,s:I,s:I}", "ios", (json_int_t)d->passed_on_ios,
				      "latency_ns", (json_int_t)d->passed_on_ns, "below_ns",
				      (json_int_t)d->below_ns));
	if (explain_device_is_untimed(d))
		json_object_set_new(object, "busy_ns", json_null());
	else
		json_set_u64(object, "busy_ns", d->busy_ns);
	json_set_bool(object, "busy_is_lower_bound", d->busy_is_lower_bound);
	json_set_u64(object, "in_queue_ms", d->in_queue_ns / NSEC_PER_MSEC);
	set_distributions(object, d);
	if (d->depth_ios)
		json_set_real(depth, "mean", (double)d->depth_sum / (double)d->depth_ios);
	else
		json_object_set_new(depth, "mean", json_null());
	if (explain_at_driver_mean(d) > 0)
		json_set_real(depth, "mean_while_busy", explain_at_driver_mean(d));
	else
		json_object_set_new(depth, "mean_while_busy", json_null());
	json_set_u64(depth, "max", d->depth_max);
	json_object_set_new(object, "depth", depth);
	json_object_set_new(origin, "read", origins(d->origin[DIRECTION_READ]));
	json_object_set_new(origin, "write", origins(d->origin[DIRECTION_WRITE]));
	json_object_set_new(object, "origin", origin);
	set_share(object, "sequential_read_pct", d->sequential_ios[DIRECTION_READ],
		  d->data_ios[DIRECTION_READ]);
	set_share(object, "sequential_write_pct", d->sequential_ios[DIRECTION_WRITE],
		  d->data_ios[DIRECTION_WRITE]);
	json_object_set_new(object, "peaks", explain_json_peaks(&d->peaks, duration_ns));
	set_kernel(object, d);
	return object;
}

static void set_quality(json_t *object, const char *key, const char *quality)
{
	if (*quality)
		json_set_text(object, key, quality);
	else
		json_object_set_new(object, key, json_null());
}

/* null: the kernel that was recorded could not tell. */
static void set_known(json_t *object, const char *key, uint64_t value, bool known)
{
	if (known)
		json_set_u64(object, key, value);
	else
		json_object_set_new(object, key, json_null());
}

static json_t *cache_read(const struct explain_cache *c)
{
	bool reads_known = explain_cache_knows(c, CACHE_READS);
	json_t *read = json_object();

	set_known(read, "operations", c->read_operations, reads_known);
	set_known(read, "pages", c->read_pages, reads_known);
	set_known(read, "bytes", c->read_pages * PAGE_BYTES, reads_known);
	set_known(read, "hit_pages", c->hit_pages, c->hits_known);
	set_known(read, "demand_miss_pages", c->demand_miss_pages,
		  explain_cache_knows(c, CACHE_DEMAND_MISSES));
	set_known(read, "fault_pages", c->fault_pages, explain_cache_knows(c, CACHE_FAULTS));
	set_known(read, "waits", c->waits, explain_cache_knows(c, CACHE_WAITS));
	set_known(read, "wait_ns", c->wait_ns, explain_cache_knows(c, CACHE_WAITS));
	set_quality(read, "wait_quality", c->quality[CACHE_WAITS]);
	set_share(read, "hit_ratio_pct", c->hit_pages, c->hits_known ? c->read_pages : 0);
	set_quality(read, "quality", c->quality[CACHE_READS]);
	set_quality(read, "demand_miss_quality", c->quality[CACHE_DEMAND_MISSES]);
	set_quality(read, "fault_quality", c->quality[CACHE_FAULTS]);
	return read;
}

static json_t *cache_write(const struct explain_cache *c)
{
	bool written_known = explain_cache_knows(c, CACHE_OVERWRITTEN);
	bool throttled_known = explain_cache_knows(c, CACHE_THROTTLED);
	json_t *write = json_object();

	set_known(write, "written_pages", c->written_pages, written_known);
	set_known(write, "overwritten_pages", c->overwritten_pages, written_known);
	set_quality(write, "written_quality", c->quality[CACHE_OVERWRITTEN]);
	json_set_u64(write, "added_pages", c->write_added_pages);
	set_known(write, "dirtied_pages", c->dirtied_pages, explain_cache_knows(c, CACHE_DIRTIED));
	json_set_u64(write, "written_back_pages", c->written_back_pages);
	set_known(write, "throttles", c->throttles, throttled_known);
	set_known(write, "throttle_ns", c->throttle_ns, throttled_known);
	set_quality(write, "throttle_quality", c->quality[CACHE_THROTTLED]);
	set_quality(write, "dirtied_quality", c->quality[CACHE_DIRTIED]);
	return write;
}

static json_t *cache_direct(const struct explain_cache *c)
{
	bool known = explain_cache_knows(c, CACHE_DIRECT);
	json_t *direct = json_object();

	set_known(direct, "reads", c->direct_reads, known);
	set_known(direct, "read_bytes", c->direct_read_bytes, known);
	set_known(direct, "writes", c->direct_writes, known);
	set_known(direct, "write_bytes", c->direct_write_bytes, known);
	set_quality(direct, "quality", c->quality[CACHE_DIRECT]);
	return direct;
}

static json_t *cache(const struct explanation *x)
{
	const struct explain_cache *c = &x->cache;
	bool readahead_known = explain_cache_knows(c, CACHE_READAHEAD);
	json_t *object = json_object(), *readahead = json_object();

	set_known(readahead, "added_pages", c->readahead_added_pages, readahead_known);
	set_known(readahead, "used_pages", c->readahead_used_pages, readahead_known);
	set_known(readahead, "wasted_pages", c->readahead_wasted_pages, readahead_known);
	set_known(readahead, "unknown_pages", c->readahead_unknown_pages, readahead_known);
	set_known(readahead, "untracked_pages", c->readahead_untracked_pages, readahead_known);
	set_quality(readahead, "quality", c->quality[CACHE_READAHEAD]);
	json_object_set_new(object, "read", cache_read(c));
	json_object_set_new(object, "readahead", readahead);
	json_object_set_new(object, "write", cache_write(c));
	json_object_set_new(object, "direct", cache_direct(c));
	json_set_u64(object, "other_added_pages", c->other_added_pages);
	json_set_u64(object, "deleted_pages", c->deleted_pages);
	set_known(object, "evicted_pages", c->evicted_pages, explain_cache_knows(c, CACHE_EVICTED));
	set_quality(object, "evicted_quality", c->quality[CACHE_EVICTED]);
	json_object_set_new(object, "what_if", explain_json_what_if(x));
	return object;
}

/* Without an account of the page cache: what_if alone, if operations on files are known. */
static json_t *cache_or_what_if(const struct explanation *x)
{
	json_t *what_if = x->cache.recorded ? NULL : explain_json_what_if(x);
	json_t *object;

	if (!what_if)
		return cache(x);
	if (json_is_null(what_if))
		return what_if;
	object = json_object();
	json_object_set_new(object, "what_if", what_if);
	return object;
}

static json_t *flow(const struct explanation *x)
{
	static const char *const gaps[] = {
		[GAP_SMALL_BLOCKS] = "small-blocks",
		[GAP_OWN_PAGES] = "unknown-origin",
		[GAP_HOLES] = "holes",
		[GAP_CUT_INTERVAL] = "cut-interval",
	};
	const struct explain_flow *f = &x->flow;
	json_t *object = json_object(), *read = json_object();

	for (int i = 0; i < IO_ORIGIN_COUNT; i++) {
		json_t *one = json_object();

		json_set_u64(one, "ios", f->device_ios[i]);
		json_set_u64(one, "bytes", f->device_bytes[i]);
		json_object_set_new(read, io_origin_name((enum io_origin)i), one);
	}
	if (x->cache.recorded) {
		set_known(object, "application_bytes", f->application_bytes,
			  explain_cache_knows(&x->cache, CACHE_READS));
		set_known(object, "hit_bytes", f->hit_bytes, x->cache.hits_known);
		set_known(object, "demand_bytes", f->demand_bytes,
			  explain_cache_knows(&x->cache, CACHE_DEMAND_MISSES));
		set_known(object, "readahead_bytes", f->readahead_bytes,
			  explain_cache_knows(&x->cache, CACHE_READAHEAD));
	}
	json_object_set_new(object, "device_read", read);
	json_set_u64(object, "device_file_pages", f->device_file_pages);
	if (f->closed) {
		json_set_u64(object, "fetched_file_pages", f->fetched_file_pages);
		json_set_u64(object, "other_file_pages", f->other_file_pages);
		json_set_u64(object, "partial_write_pages", f->partial_write_pages);
		json_object_set_new(object, "unaccounted_pages",
				    json_integer((json_int_t)f->unaccounted_pages));
	} else {
		json_object_set_new(object, "unaccounted_pages", json_null());
	}
	if (f->gap)
		json_set_text(object, "unaccounted_reason", gaps[f->gap]);
	else
		json_object_set_new(object, "unaccounted_reason", json_null());
	json_set_bool(object, "read_amplification_is_lower_bound", f->amplification_is_lower_bound);
	if (f->read_amplification > 0)
		json_set_real(object, "read_amplification", f->read_amplification);
	else
		json_object_set_new(object, "read_amplification", json_null());
	return object;
}

static void set_group_cache_figures(json_t *object, const struct explain_group *group,
				    const struct explain_cache *c)
{
	const struct {
		const char *key;
		uint64_t value;
		enum explain_cache_figure figure;
	} figures[] = {
		{"cache_waits", group->waits, CACHE_WAITS},
		{"cache_wait_ns", group->wait_ns, CACHE_WAITS},
		{"cache_written_pages", group->written_pages, CACHE_OVERWRITTEN},
		{"cache_overwritten_pages", group->overwritten_pages, CACHE_OVERWRITTEN},
		{"cache_evicted_pages", group->evicted_pages, CACHE_EVICTED},
		{"direct_read_bytes", group->direct_read_bytes, CACHE_DIRECT},
		{"direct_write_bytes", group->direct_write_bytes, CACHE_DIRECT},
		{"throttles", group->throttles, CACHE_THROTTLED},
		{"throttle_ns", group->throttle_ns, CACHE_THROTTLED},
	};

	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		set_known(object, figures[i].key, figures[i].value,
			  explain_cache_knows(c, figures[i].figure));
}

static void set_group_figures(json_t *object, const struct explain_group *group,
			      const struct explain_cache *c)
{
	json_set_u64(object, "ios", group->ios);
	json_set_u64(object, "bytes", group->bytes);
	json_set_u64(object, "read_ios", group->read_ios);
	json_set_u64(object, "read_bytes", group->read_bytes);
	json_set_u64(object, "write_ios", group->write_ios);
	json_set_u64(object, "write_bytes", group->write_bytes);
	json_set_u64(object, "other_ios", group->other_ios);
	json_set_u64(object, "latency_sum_ns", group->latency_sum_ns);
	json_set_u64(object, "latency_p50_ns", group->latency_p50_ns);
	json_set_u64(object, "latency_p99_ns", group->latency_p99_ns);
	if (!c->recorded)
		return;
	set_known(object, "cache_read_pages", group->cache_read_pages,
		  explain_cache_knows(c, CACHE_READS));
	set_known(object, "cache_hit_pages", group->cache_hit_pages, c->hits_known);
	set_known(object, "cache_miss_pages", group->cache_miss_pages,
		  explain_cache_knows(c, CACHE_DEMAND_MISSES));
	set_known(object, "cache_fetched_bytes", group->cache_fetched_pages * PAGE_BYTES,
		  c->fetched_known);
	set_known(object, "cache_dirtied_pages", group->cache_dirtied_pages,
		  explain_cache_knows(c, CACHE_DIRTIED));
	set_group_cache_figures(object, group, c);
}

/* The words of a group that it has beside its figures. */
static void set_group_name(json_t *object, enum explain_by by, const struct explain_group *group)
{
	bool has_path = by == EXPLAIN_BY_FILE || by == EXPLAIN_BY_CGROUP;

	json_set_text(object, has_path ? "path" : "name", group->name);
	if (by == EXPLAIN_BY_COMMAND) {
		json_set_u64(object, "processes", group->processes);
		if (group->processes > 1)
			json_object_set_new(object, "pid", json_null());
	}
	if (by == EXPLAIN_BY_PROCESS || (by == EXPLAIN_BY_COMMAND && group->processes <= 1))
		json_set_u64(object, "pid", group->tgid);
	if (by == EXPLAIN_BY_PROCESS || by == EXPLAIN_BY_COMMAND)
		json_set_bool(object, "kernel_thread", group->kernel_thread);
}

/* by_NAME[] and, if some are not in that list, by_NAME_others{}. */
static void set_groups(json_t *document, const struct explanation *x, enum explain_by by,
		       uint32_t listed_max)
{
	static const char *const keys[EXPLAIN_BY_ALL] = {"by_task", "by_command",   "by_cgroup",
							 "by_unit", "by_container", "by_pod",
							 "by_file"};
	const struct explain_groups *groups = explain_groups_by(x, by);
	const struct explain_group *others = &groups->others;
	json_t *list = json_array(), *object;
	char key[32];

	for (uint32_t i = 0; i < groups->count && i < listed_max; i++) {
		object = json_object();
		set_group_name(object, by, &groups->list[i]);
		set_group_figures(object, &groups->list[i], &x->cache);
		json_array_append_new(list, object);
	}
	json_object_set_new(document, keys[by], list);
	if (!others->ios && !others->cache_read_pages && !others->cache_dirtied_pages)
		return;
	object = json_object();
	set_group_figures(object, others, &x->cache);
	snprintf(key, sizeof(key), "%s_others", keys[by]);
	json_object_set_new(document, key, object);
}

static json_t *slowest(const struct explanation *x)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < x->slowest_count; i++) {
		const struct explain_slow_io *slow = &x->slowest[i];
		char flags[IO_FLAGS_TEXT_MAX];
		json_t *object = json_object();

		json_set_u64(object, "total_ns", slow->total_ns);
		json_set_u64(object, "created_ns", slow->row.created_ns);
		json_set_u64(object, "issued_ns", slow->row.issued_ns);
		json_set_u64(object, "completed_ns", slow->row.completed_ns);
		json_set_text(object, "device", slow->device);
		json_set_text(object, "op", io_op_name((enum io_op)slow->row.op));
		json_set_text(object, "flags", io_flags_text(slow->row.flags, flags));
		json_set_u64(object, "sector", slow->row.sector);
		json_set_u64(object, "bytes", slow->row.bytes);
		json_set_text(object, "task", slow->comm);
		json_set_u64(object, "pid", slow->pid);
		if (slow->file)
			json_set_text(object, "file", slow->file);
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *losses(const struct explanation *x)
{
	json_t *object = json_object();

	json_set_u64(object, "total", x->lost);
	for (int kind = 0; kind < LOSS_CLASS_COUNT; kind++)
		json_set_u64(object, loss_class_name((enum loss_class)kind), x->losses[kind].count);
	return object;
}

static json_t *findings(const struct explanation *x)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < x->finding_count; i++) {
		const struct explain_finding *finding = &x->findings[i];
		json_t *object = json_object();

		json_set_text(object, "id", finding->id);
		json_set_text(object, "severity", explain_severity_name(finding->severity));
		if (*finding->device)
			json_set_text(object, "device", finding->device);
		json_set_text(object, "title", finding->title);
		json_set_text(object, "evidence", finding->evidence);
		json_set_text(object, "advice", finding->advice);
		if (finding->is_weighed)
			json_set_u64(object, "saves_ns", finding->saves_ns);
		else
			json_object_set_new(object, "saves_ns", json_null());
		if (*finding->saves_of)
			json_set_text(object, "saves_of", finding->saves_of);
		else
			json_object_set_new(object, "saves_of", json_null());
		json_array_append_new(list, object);
	}
	return list;
}

static json_t *tiers(const struct explanation *x)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < x->tier_count; i++) {
		json_t *object = json_object();

		json_set_text(object, "figure", x->tiers[i].figure);
		json_set_text(object, "how", x->tiers[i].how);
		json_set_text(object, "quality", x->tiers[i].quality);
		json_set_text(object, "note", x->tiers[i].note);
		json_array_append_new(list, object);
	}
	return list;
}

static void set_frame(json_t *document, const char *name, const struct explanation *x)
{
	char *owners = render_owners_text(x);
	int64_t jump_ns;

	json_set_text(document, "file", name);
	json_set_text(document, "host", x->host.hostname);
	json_set_text(document, "kernel", x->host.kernel);
	json_set_text(document, "command", x->host.command);
	json_set_u64(document, "start_ns", x->host.start_ns);
	json_set_u64(document, "start_wall_ns", x->host.start_wall_ns);
	json_set_u64(document, "duration_ns", x->duration_ns);
	if (when_clock_jump(&x->host, x->has_summary ? &x->summary : NULL, &jump_ns))
		json_object_set_new(document, "clock_jump_ns", json_integer(jump_ns));
	else
		json_object_set_new(document, "clock_jump_ns", json_null());
	json_set_bool(document, "complete", !x->cut);
	json_set_bool(document, "devices_chosen", x->devices_chosen);
	json_set_u64(document, "io_rows", x->io_rows);
	json_set_u64(document, "ignored_rows", x->ignored_rows);
	json_object_set_new(document, "lost", losses(x));
	json_object_set_new(document, "tiers", tiers(x));
	json_set_text(document, "verdict", x->verdict);
	if (owners)
		json_set_text(document, "owners", owners);
	else
		json_object_set_new(document, "owners", json_null());
	free(owners);
}

json_t *explain_json(const char *name, const struct explanation *x, enum explain_by by,
		     uint32_t listed_max)
{
	json_t *document = json_document("explain"), *devices = json_array();

	if (!document || !devices) {
		json_decref(document);
		json_decref(devices);
		return NULL;
	}
	set_frame(document, name, x);
	json_object_set_new(document, "waits", explain_json_waits(x));
	json_object_set_new(document, "cache", cache_or_what_if(x));
	json_object_set_new(document, "flow", flow(x));
	for (uint32_t i = 0; i < x->device_count; i++)
		json_array_append_new(devices, device(x->devices[i], x->duration_ns));
	json_object_set_new(document, "devices", devices);
	json_object_set_new(document, "slowest", slowest(x));
	for (int one = 0; one < EXPLAIN_BY_ALL; one++)
		if (by == EXPLAIN_BY_ALL || by == (enum explain_by)one)
			set_groups(document, x, (enum explain_by)one, listed_max);
	json_object_set_new(document, "findings", findings(x));
	return document;
}

int explain_print_json(FILE *out, const char *name, const struct explanation *x, enum explain_by by)
{
	json_t *document = explain_json(name, x, by, EXPLAIN_GROUPS_MAX);

	return document ? json_print(out, document) : -ENOMEM;
}
