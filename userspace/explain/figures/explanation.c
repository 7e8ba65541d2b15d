// SPDX-License-Identifier: MIT
#include "explain/figures/explanation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define SIZE_CLASS_BYTES 512u /* of the first */

uint64_t explain_size_class_bytes(unsigned int size_class)
{
	return (uint64_t)SIZE_CLASS_BYTES << size_class;
}

unsigned int explain_size_class(uint64_t bytes)
{
	unsigned int size_class = 0;

	while (size_class < EXPLAIN_SIZE_CLASSES - 1 &&
	       bytes > explain_size_class_bytes(size_class))
		size_class++;
	return size_class;
}

void explain_device__free(struct explain_device *d)
{
	if (!d)
		return;
	for (int op = 0; op < TICK_OP_COUNT; op++) {
		for (int part = 0; part < LATENCY_PART_COUNT; part++) {
			free(d->latency_by_op[op][part]);
			free(d->linked.latency[op][part]);
		}
		for (int i = 0; i < EXPLAIN_SIZE_CLASSES; i++)
			free(d->latency_by_size[op][i]);
		free(d->size_bytes[op]);
	}
	for (int part = 0; part < LATENCY_PART_COUNT; part++) {
		free(d->flush_request_latency[part]);
		free(d->latency[part]);
	}
	free(d);
}

bool explain_is_import(const struct explanation *x)
{
	for (uint32_t i = 0; i < x->tier_count; i++)
		if (!strncmp(x->tiers[i].how, "import of ", 10))
			return true;
	return false;
}

bool explain_cache_is_left_out(const struct explanation *x)
{
	for (uint32_t i = 0; i < x->tier_count; i++)
		if (!strcmp(x->tiers[i].figure, "cache" TRACE_TIER_LEFT_OUT))
			return !x->cache.recorded;
	return false;
}

void explain_groups_release(struct explain_groups *groups)
{
	for (uint32_t i = 0; i < groups->count; i++)
		free(groups->list[i].name);
	free(groups->list);
	memset(groups, 0, sizeof(*groups));
}

const char *const explain_by_names[] = {"process",   "command", "cgroup", "unit",
					"container", "pod",	"file",	  NULL};

const struct explain_groups *explain_groups_by(const struct explanation *x, enum explain_by by)
{
	const struct explain_groups *const groups[EXPLAIN_BY_ALL] = {
		&x->by_task,	  &x->by_command, &x->by_cgroup, &x->by_unit,
		&x->by_container, &x->by_pod,	  &x->by_file};

	return groups[by];
}

uint64_t explain_groups_count(const struct explain_groups *groups)
{
	return groups->count + groups->others_count;
}

/* More processes than a table of the text has rows. */
#define PROCESSES_MANY 10

const struct explain_groups *explain_programs(const struct explanation *x)
{
	uint64_t processes = explain_groups_count(&x->by_task);

	return processes > PROCESSES_MANY && explain_groups_count(&x->by_command) < processes
		       ? &x->by_command
		       : &x->by_task;
}

const char *explain_group_label(const struct explain_group *group, char *text, size_t size)
{
	if (group->processes > 1)
		snprintf(text, size, "%s (%s %s)", group->name, COUNT_TEXT(group->processes),
			 group->kernel_thread ? "kernel threads" : "processes");
	else if (group->tgid)
		snprintf(text, size, "%s %u", group->name, group->tgid);
	else
		snprintf(text, size, "%s", group->name);
	return text;
}

const char *explain_group_cell(const struct explain_group *group, char *text, size_t size)
{
	if (group->processes <= 1)
		return explain_group_label(group, text, size);
	snprintf(text, size, "%s (%s)", group->name, COUNT_TEXT(group->processes));
	return text;
}

uint64_t explain_waited_for(const struct explain_wait_task *task, enum wait_cause cause)
{
	return cause == CAUSE_RUN_QUEUE ? task->run_queue_ns : task->causes[cause].ns;
}

uint64_t explain_no_write_ns(const struct explain_calls *calls)
{
	uint64_t ns = 0;

	for (enum wait_cause cause = 0; cause < CAUSE_COUNT; cause++)
		ns += calls->no_write_ns[cause];
	return ns;
}

const struct explain_wait_task *explain_waiters(const struct explain_waits *w, uint32_t *count)
{
	bool are_commands = w->task_count > EXPLAIN_WAITERS_FEW && w->command_count < w->task_count;

	*count = are_commands ? w->command_count : w->task_count;
	return are_commands ? w->commands : w->tasks;
}

const char *explain_waiter_label(const struct explain_wait_task *task, char *text)
{
	if (task->tasks > 1)
		snprintf(text, EXPLAIN_LABEL_MAX, "%s (%s)", task->comm,
			 COUNTED_TEXT(task->tasks, "task"));
	else
		snprintf(text, EXPLAIN_LABEL_MAX, "%s %u", task->comm, task->pid);
	return text;
}

static void wait_tasks_free(struct explain_wait_task *tasks, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		free(tasks[i].calls);
		free(tasks[i].devices);
		free(tasks[i].limit.cgroup);
	}
	free(tasks);
}

void explain_waits_release(struct explain_waits *waits)
{
	wait_tasks_free(waits->tasks, waits->task_count);
	wait_tasks_free(waits->commands, waits->command_count);
	for (uint32_t i = 0; i < waits->worst_count; i++)
		free(waits->worst[i].file);
	for (uint32_t i = 0; i < waits->blame_count; i++) {
		free(waits->blame[i].victim);
		free(waits->blame[i].culprit);
	}
	free(waits->blame);
	memset(waits, 0, sizeof(*waits));
}

void explanation__free(struct explanation *x)
{
	if (!x)
		return;
	for (uint32_t i = 0; i < x->device_count; i++)
		explain_device__free(x->devices[i]);
	free(x->devices);
	explain_groups_release(&x->by_task);
	explain_groups_release(&x->by_command);
	explain_groups_release(&x->by_file);
	explain_groups_release(&x->by_cgroup);
	explain_groups_release(&x->by_unit);
	explain_groups_release(&x->by_pod);
	explain_groups_release(&x->by_container);
	free(x->eviction.evictor);
	free(x->eviction.file);
	free(x->dropping.dropper);
	free(x->dropping.file);
	for (uint32_t i = 0; i < x->slowest_count; i++)
		free(x->slowest[i].file);
	for (uint32_t i = 0; i < x->tier_count; i++) {
		free(x->tiers[i].figure);
		free(x->tiers[i].how);
		free(x->tiers[i].quality);
		free(x->tiers[i].note);
	}
	free(x->tiers);
	explain_waits_release(&x->waits);
	free(x->findings);
	free(x);
}

const char *explain_severity_name(enum explain_severity severity)
{
	static const char *const names[] = {"info", "warning", "critical"};

	return names[severity];
}

const char *explain_blame_by_name(enum explain_blame_by by)
{
	static const char *const names[] = {"task", "cgroup", "file"};

	return names[by];
}

const char *explain_blame_where_name(enum explain_blame_where where)
{
	static const char *const names[] = {"device", "scheduler", "journal", "writeback"};

	return names[where];
}

bool explain_cache_knows(const struct explain_cache *cache, enum explain_cache_figure figure)
{
	const char *quality = cache->quality[figure];

	if (figure >= CACHE_WAITS && (!quality || !*quality))
		return false;
	return !quality || strcmp(quality, "unavailable") != 0;
}

/* `sign` -1 takes the counters away. */
static void add_counted(struct explain_totals *t, const struct explain_counters *counted, int sign)
{
	for (int op = 0; op < TICK_OP_COUNT; op++) {
		t->ios[op] += (uint64_t)sign * counted[op].ios;
		t->bytes[op] += (uint64_t)sign * counted[op].bytes;
		t->all_ios += (uint64_t)sign * counted[op].ios;
	}
}

struct explain_totals explain_totals_of(const struct explanation *x)
{
	struct explain_totals t = {0};

	for (uint32_t i = 0; i < x->device_count; i++) {
		add_counted(&t, x->devices[i]->counted, 1);
		/* The device above counts these. */
		if (!x->devices_chosen)
			add_counted(&t, x->devices[i]->linked.counted, -1);
		t.timed_devices += x->devices[i]->latency[LATENCY_TOTAL] != NULL;
	}
	return t;
}

double explain_at_driver_mean(const struct explain_device *d)
{
	uint64_t device_ns = 0;

	for (int op = 0; op < TICK_OP_COUNT; op++)
		device_ns += d->latency_sum_ns[op][LATENCY_DEVICE];
	device_ns -= d->outside_ns;
	return d->busy_ns && !d->busy_is_lower_bound ? (double)device_ns / (double)d->busy_ns : 0;
}

const char *explain_at_driver_text(const struct explain_device *d, char *text)
{
	double mean = explain_at_driver_mean(d);

	*text = '\0';
	if (d->depth_ios && mean > 0)
		snprintf(text, EXPLAIN_LABEL_MAX, "at the driver while busy: mean %.1f, at most %s",
			 mean, COUNT_TEXT(d->depth_max));
	else if (d->depth_ios)
		snprintf(text, EXPLAIN_LABEL_MAX, "at the driver: at most %s",
			 COUNT_TEXT(d->depth_max));
	return text;
}

void explain_where(const struct explain_device *d, uint64_t *queue_ns, uint64_t *device_ns)
{
	*queue_ns = 0;
	*device_ns = d->kernel_flush_ios ? 0 : d->preflush_ns;
	for (int op = 0; op < TICK_OP_COUNT; op++) {
		*queue_ns += d->latency_sum_ns[op][LATENCY_QUEUE];
		*device_ns += d->latency_sum_ns[op][LATENCY_DEVICE];
	}
	*queue_ns -= d->preflush_ns;
}

uint64_t explain_failures(const struct explain_device *d)
{
	return explain_errors(d) - d->errors[ERRORS_REFUSED];
}

uint64_t explain_errors(const struct explain_device *d)
{
	uint64_t errors = 0;

	for (int kind = 0; kind < EXPLAIN_ERROR_KINDS; kind++)
		errors += d->errors[kind];
	return errors;
}

double explain_pct(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

const char *explain_time(const struct explanation *x, uint64_t time_ns, char *text)
{
	/* Percentiles are estimated: one below half of the resolution stands for 0. */
	if (time_ns >= explain_resolution_ns(x) / 2 || explain_resolution_ns(x) == 1)
		return units_time(time_ns, text);
	snprintf(text, UNITS_TEXT_MAX, "< %s", TIME_TEXT(explain_resolution_ns(x)));
	return text;
}

bool explain_misses_differ(const struct explanation *x, uint64_t *rows, uint64_t *account)
{
	const struct explain_cache *c = &x->cache;
	const struct cache_model_result *model = &x->what_if.result;

	*rows = model->recorded.missed_pages;
	*account = c->demand_miss_pages - c->blockdev_demand_pages;
	/* Programs, too, read block devices: their pages may be on either side. */
	return c->recorded && c->hits_known && x->what_if.recorded && model->sampled_one_in == 1 &&
	       !x->lost && (*rows < *account || *rows > c->demand_miss_pages);
}

const struct explain_device *explain_busiest_device(const struct explanation *x)
{
	const struct explain_device *most = NULL;

	for (uint32_t i = 0; i < x->device_count; i++)
		if (!most || x->devices[i]->in_queue_ns > most->in_queue_ns)
			most = x->devices[i];
	return most && most->in_queue_ns ? most : NULL;
}

const struct explain_device *explain_flushed_device(const struct explanation *x)
{
	const struct explain_device *most = NULL;

	for (uint32_t i = 0; i < x->device_count; i++) {
		const struct explain_device *d = x->devices[i];

		if (d->latency_by_op[TICK_FLUSH][LATENCY_TOTAL] &&
		    (!most || d->counted[TICK_FLUSH].ios > most->counted[TICK_FLUSH].ios))
			most = d;
	}
	return most;
}
